import type { Opener } from '@unikv/core/url'
import type * as openers from './openers.ts'

/** Stores by name, as `error.store` has it. */
export type Kind = keyof typeof openers

/** Facts about a store before its adapter is loaded. */
export interface TableLine {
  /** Schemes of its URLs, in lower case. */
  readonly schemes: readonly string[]
  /** Whether the URL is a path, without user or host, which may hold an `@` of its own. @default false */
  readonly isPath?: boolean
  /** Loads the opener, with its adapter. Bundlers follow each `import()`, so it stands here in full. */
  readonly load: () => Promise<Opener>
}

/** Every store that a URL opens. */
export const table: Readonly<Record<Kind, TableLine>> = {
  memory: { schemes: ['memory'], isPath: true, load: async () => (await import('./memory.ts')).openMemory },
  file: { schemes: ['file'], isPath: true, load: async () => (await import('@unikv/file/url')).openFile },
  lmdb: { schemes: ['lmdb'], isPath: true, load: async () => (await import('@unikv/lmdb/url')).openLmdb },
  sqlite: {
    schemes: ['sqlite'],
    isPath: true,
    load: async () => (await import('@unikv/sqlite/url')).openSqlite,
  },
  redis: {
    schemes: [
      'redis',
      'rediss',
      'redis+cluster',
      'rediss+cluster',
      'redis+unix',
      'valkey',
      'valkeys',
      'valkey+cluster',
      'valkeys+cluster',
      'valkey+unix',
      'upstash',
      'upstash+http',
    ],
    load: async () => (await import('@unikv/redis/url')).openRedis,
  },
  memcached: {
    schemes: ['memcached'],
    load: async () => (await import('@unikv/memcached/url')).openMemcached,
  },
  mysql: { schemes: ['mysql', 'mariadb'], load: async () => (await import('@unikv/mysql/url')).openMysql },
  postgres: {
    schemes: ['postgres', 'postgresql'],
    load: async () => (await import('@unikv/postgres/url')).openPostgres,
  },
  mongodb: {
    schemes: ['mongodb', 'mongodb+srv'],
    load: async () => (await import('@unikv/mongodb/url')).openMongodb,
  },
  couchdb: {
    schemes: ['couchdb', 'couchdbs'],
    load: async () => (await import('@unikv/couchdb/url')).openCouchdb,
  },
  cassandra: {
    schemes: ['cassandra'],
    load: async () => (await import('@unikv/cassandra/url')).openCassandra,
  },
  hbase: { schemes: ['hbase', 'hbases'], load: async () => (await import('@unikv/hbase/url')).openHbase },
  dynamodb: { schemes: ['dynamodb'], load: async () => (await import('@unikv/dynamodb/url')).openDynamodb },
  s3: { schemes: ['s3'], load: async () => (await import('@unikv/s3/url')).openS3 },
  swift: { schemes: ['swift'], load: async () => (await import('@unikv/swift/url')).openSwift },
  http: { schemes: ['http', 'https'], load: async () => (await import('@unikv/http/url')).openHttp },
}

const byScheme = new Map(
  Object.entries(table).flatMap(([kind, { schemes }]) => schemes.map((scheme) => [scheme, kind as Kind])),
)

/** All schemes, in the order of the table. */
export const schemes: readonly string[] = [...byScheme.keys()]

/** The kind of store that the URLs of a scheme open. */
export function kindOf(scheme: string): Kind | undefined {
  return byScheme.get(scheme)
}
