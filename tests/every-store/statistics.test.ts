import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cassandra, prepareCassandra } from '@unikv/cassandra'
import { type Bytes, keyValue, type ServerStatistics, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import { memcached } from '@unikv/memcached'
import { mongodb, prepareMongodb } from '@unikv/mongodb'
import { mysql, prepareMysql } from '@unikv/mysql'
import { postgres, preparePostgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { sqlite } from '@unikv/sqlite'
import { apart, type ServerKind } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'

type Opened = Store<Bytes>
type Told = readonly (keyof ServerStatistics)[]

const table = 'statistics'
const server: Told = ['version', 'uptimeMs', 'connections', 'maxConnections', 'operations']
const cached: Told = ['cacheHits', 'cacheMisses']
const traffic: Told = ['receivedBytes', 'sentBytes']
const stored: Told = ['storedBytes', 'records']

/** What each server must tell, whatever its version. */
const servers: readonly (readonly [
  name: string,
  kind: ServerKind,
  told: Told,
  open: (url: string) => Promise<Opened>,
])[] = [
  [
    'redis',
    'redis',
    [...server, ...cached, ...traffic, ...stored, 'memoryBytes', 'evictions', 'expirations'],
    async (url) => redis({ url }),
  ],
  ['node-redis', 'redis', [...server, ...stored], async (url) => redis({ url, driver: 'node-redis' })],
  [
    'redis cluster',
    'redis-cluster',
    [...server, ...stored],
    async (url) => redis({ url: url.replace(/^redis:/, 'redis+cluster:') }),
  ],
  [
    'memcached',
    'memcached',
    [...server, ...cached, ...traffic, ...stored, 'memoryBytes', 'maxMemoryBytes', 'evictions'],
    async (url) => memcached({ url }),
  ],
  [
    'postgres',
    'postgres',
    [...server, ...cached, 'storedBytes'],
    async (url) => {
      await preparePostgres({ url, table })
      return postgres({ url, table })
    },
  ],
  [
    'mysql',
    'mariadb',
    [...server, ...cached, ...traffic, ...stored],
    async (url) => {
      await prepareMysql({ url, table })
      return mysql({ url, table })
    },
  ],
  // Figures of the cache depend on its engine.
  [
    'mongodb',
    'mongodb',
    [...server, ...traffic, ...stored, 'memoryBytes'],
    async (url) => {
      await prepareMongodb({ url, collection: table })
      return mongodb({ url, collection: table })
    },
  ],
  [
    'cassandra',
    'cassandra',
    ['version', 'connections', 'storedBytes', 'cacheHits', 'cacheMisses'],
    async (url) => {
      await prepareCassandra({ url, table, replication: 1 })
      return cassandra({ url, table })
    },
  ],
]

/** The statistics of a store with a record in it. */
async function toldBy(store: Opened): Promise<ServerStatistics> {
  const kv = keyValue(store, [], apart)
  await kv.set('statistics', Buffer.alloc(100))
  const told = await store.statistics?.(callOptions())
  await kv.close()
  expect(told).toBeDefined()
  return told as ServerStatistics
}

for (const [name, kind, names, open] of servers)
  describeWith(kind, (url) => {
    test(`${name} tells of its server`, async () => {
      const told = await toldBy(await open(url))
      expect(names.filter((one) => told[one] === undefined)).toEqual([])
      const { version, scope, ...figures } = told
      for (const [figure, value] of Object.entries(figures))
        expect(value === undefined || value >= 0, `${figure}: ${value}`).toBe(true)
      expect(told.connections ?? 1).toBeGreaterThan(0)
      expect(told.connections ?? 1).toBeLessThanOrEqual(told.maxConnections ?? 1_000_000)
      expect(scope).toBe(['redis', 'redis-cluster', 'memcached'].includes(kind) ? 'server' : 'dataset')
      expect(version).toMatch(/^\d+\.\d+/)
    })
  })

test('embedded stores tell of their disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unikv-statistics-'))
  try {
    for (const store of [
      lmdb({ path: join(folder, 'lmdb') }),
      sqlite({ path: join(folder, 'sqlite.db') }),
      file({ directory: join(folder, 'file') }),
    ]) {
      const { diskUsedBytes = 0, diskBytes = 0, storedBytes } = await toldBy(store)
      expect(diskUsedBytes).toBeGreaterThan(0)
      expect(diskBytes).toBeGreaterThanOrEqual(diskUsedBytes)
      expect(storedBytes ?? 1).toBeGreaterThan(0)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
