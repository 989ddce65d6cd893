import type { Capabilities } from '@unikv/core'

// As the adapters declare them. Written out here because their own types need those of the drivers, which need
// not be installed; `test/open.test.ts` compares.

interface ServerCapabilities extends Capabilities {
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly touch: true
  readonly increment: true
  readonly sealed: false
  readonly documents: false
  readonly deltas: boolean
  readonly sync: 'none'
}

/** What `open('redis://…')` and its kin can do. */
export interface RedisUrlCapabilities extends ServerCapabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'at-least-once'; readonly prefix: 'filtered' }
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1 }
  readonly deltas: true
}

/** What `open('mysql://…')` and `open('mariadb://…')` can do. */
export interface MysqlUrlCapabilities extends ServerCapabilities {
  readonly scan: { readonly order: 'bytes'; readonly delivery: 'once'; readonly prefix: 'indexed' }
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1 }
  readonly deltas: false
}

/** What `open('postgres://…')` and `open('postgresql://…')` can do. */
export interface PostgresUrlCapabilities extends ServerCapabilities {
  readonly scan: { readonly order: 'bytes'; readonly delivery: 'once'; readonly prefix: 'indexed' }
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1 }
  readonly deltas: false
}

/** What `open('mongodb://…')` and `open('mongodb+srv://…')` can do. */
export interface MongodbUrlCapabilities extends ServerCapabilities {
  readonly scan: { readonly order: 'bytes'; readonly delivery: 'once'; readonly prefix: 'indexed' }
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1 }
  readonly deltas: false
}

/** What `open('cassandra://…')` can do; `conditionalWrite` and `touch` with `conditions=true` alone. */
export interface CassandraUrlCapabilities extends Capabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'once'; readonly prefix: 'filtered' }
  readonly conditionalWrite: boolean
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1 }
  readonly touch: boolean
  readonly increment: false
  readonly sealed: false
  readonly documents: false
  readonly deltas: false
  readonly sync: 'none'
}

/** What `open('s3://…')` can do. */
export interface S3UrlCapabilities extends Capabilities {
  readonly scan: { readonly order: 'bytes'; readonly delivery: 'once'; readonly prefix: 'indexed' }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1_000 }
  readonly touch: false
  readonly increment: false
  readonly sealed: false
  readonly documents: false
  readonly deltas: false
  readonly sync: 'none'
}

/** What `open('dynamodb://…')` can do. */
export interface DynamodbUrlCapabilities extends ServerCapabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'at-least-once'; readonly prefix: 'filtered' }
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1 }
  readonly deltas: false
}
