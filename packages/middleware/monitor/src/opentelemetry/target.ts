import type { Attributes } from '@opentelemetry/api'
import type { Store } from '@unikv/core'

/** Where records lie, in the terms of the conventions. */
interface Place {
  readonly server?: string | undefined
  readonly namespace?: string | undefined
  readonly collection?: string | undefined
}

/** How a kind of store is called in the registry of the conventions, and how its dataset names a place. */
interface Kind {
  readonly system: string
  readonly place: (parts: readonly string[]) => Place
}

const nowhere = (): Place => ({})
const inTable = (parts: readonly string[]): Place => ({ collection: parts.at(-1) })
/** The servers come first: one of them is told, but not which of several. */
const theOne = (servers: readonly string[]): string | undefined =>
  servers.length === 1 ? servers[0] : undefined

/** The kinds of stores, by the first part of `dataset`. Any other store is called by that part. */
const kinds: Readonly<Record<string, Kind>> = {
  redis: { system: 'redis', place: ofRedis },
  mysql: { system: 'mysql', place: (parts) => inDatabase(parts, 1) },
  postgres: { system: 'postgresql', place: (parts) => inDatabase(parts, 2) },
  mongodb: { system: 'mongodb', place: ofMongodb },
  cassandra: {
    system: 'cassandra',
    place: (parts) => ({
      server: theOne(parts.slice(0, -2)),
      namespace: parts.at(-2),
      collection: parts.at(-1),
    }),
  },
  memcached: { system: 'memcached', place: (parts) => ({ server: theOne(parts.slice(0, -1)) }) },
  couchdb: {
    system: 'couchdb',
    place: (parts) => ({ server: theOne(parts.slice(0, -1)), namespace: parts.at(-1) }),
  },
  hbase: { system: 'hbase', place: ([server, table]) => ({ server, collection: table }) },
  dynamodb: { system: 'aws.dynamodb', place: inTable },
  sqlite: { system: 'sqlite', place: inTable },
  s3: { system: 'aws.s3', place: nowhere },
}

/**
 * The attributes that all calls to a store have: system, server, namespace and collection as far as its dataset names them,
 * and its own name.
 */
export function targetOf({ name, dataset = '' }: Pick<Store<unknown>, 'name' | 'dataset'>): Attributes {
  const [first = '', ...parts] = dataset.split('/')
  const kind = Object.hasOwn(kinds, first) ? kinds[first] : undefined
  const { server, namespace, collection } = (kind?.place ?? nowhere)(parts)
  return {
    'db.system.name': kind?.system ?? (/^[a-z]\w*$/.test(first) ? first : name.toLowerCase()),
    ...(server === undefined ? {} : addressOf(server)),
    ...(namespace === undefined ? {} : { 'db.namespace': namespace }),
    ...(collection === undefined ? {} : { 'db.collection.name': collection }),
    'unikv.store': name,
  }
}

/** The end of span names; `undefined`: they have none. */
export function targetName(attributes: Attributes): string | undefined {
  const { 'server.address': address, 'server.port': port } = attributes
  const server = address === undefined || port === undefined ? address : `${String(address)}:${String(port)}`
  const target = attributes['db.collection.name'] ?? attributes['db.namespace'] ?? server
  return target === undefined ? undefined : String(target)
}

function addressOf(server: string): Attributes {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(server) ?? []
  if (host === undefined) return { 'server.address': server }
  return { 'server.address': host, 'server.port': Number(port) }
}

/** Addresses, the number of the database and the dataset. */
function ofRedis(parts: readonly string[]): Place {
  const servers = parts.filter((part) => part.includes(':'))
  const db = parts.slice(servers.length, -1)
  return {
    server: theOne(servers),
    namespace: db.length === 1 && /^\d+$/.test(String(db[0])) ? db[0] : undefined,
  }
}

/** Host, port, database, and what leads to the table; or that alone, over a pool that was handed in. */
function inDatabase(parts: readonly string[], names: number): Place {
  const collection = parts.at(-1)
  if (parts.length !== 3 + names) return { collection }
  const [host, port, ...rest] = parts
  return { server: `${host}:${port}`, namespace: rest.slice(0, -1).join('|'), collection }
}

/** Servers, the database of the URL and another one, as far as they were given, and the collection. */
function ofMongodb(parts: readonly string[]): Place {
  const [first = '', ...rest] = parts
  const hasServers = first.includes(':')
  return {
    server: hasServers ? theOne(first.split(',')) : undefined,
    namespace: (hasServers ? rest : parts).at(-2),
    collection: parts.at(-1),
  }
}
