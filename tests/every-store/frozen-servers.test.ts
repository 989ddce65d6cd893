import { cassandra, prepareCassandra } from '@unikv/cassandra'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import { memcached } from '@unikv/memcached'
import { mongodb, prepareMongodb } from '@unikv/mongodb'
import { mysql, prepareMysql } from '@unikv/mysql'
import { postgres, preparePostgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { apart, codeOf, type OwnServer, ownServer, type ServerKind } from '@unikv/test-kit'
import { describeWithOwn, someOf } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

// A server that is frozen accepts connections and answers nothing: SIGSTOP, a snapshot of its machine, a full disk.

type Opened = Store<Bytes> & { close(): Promise<void> }

const table = 'frozen'
const stores: readonly (readonly [name: string, kind: ServerKind, open: (url: string) => Promise<Opened>])[] =
  [
    ['redis', 'redis', async (url) => redis({ url })],
    ['node-redis', 'redis', async (url) => redis({ url, driver: 'node-redis' })],
    ['memcached', 'memcached', async (url) => memcached({ url })],
    ['postgres', 'postgres', (url) => preparePostgres({ url, table }).then(() => postgres({ url, table }))],
    ['mysql', 'mariadb', (url) => prepareMysql({ url, table }).then(() => mysql({ url, table }))],
    [
      'mongodb',
      'mongodb',
      (url) => prepareMongodb({ url, collection: table }).then(() => mongodb({ url, collection: table })),
    ],
    [
      'cassandra',
      'cassandra',
      (url) => prepareCassandra({ url, table, replication: 1 }).then(() => cassandra({ url, table })),
    ],
  ]

const value = Buffer.from('v')
const other = Buffer.from('w')
const patience = { timeout: 120_000, interval: 20 }

// The last two start servers that take long to start.
describe.each(someOf(5, stores))('%s', (_, kind, open) => {
  describeWithOwn(kind, () => {
    let server: OwnServer
    let store: Opened
    beforeAll(async () => {
      server = await ownServer(kind)
      store = await open(server.url)
    })
    afterAll(async () => {
      server.resume()
      await store.close()
      await server.stop()
    })

    const unchanged = new Set<string>()

    test('calls to a frozen server end at their deadline with what is true, and its store is of use again', async () => {
      const kv = keyValue(store, [], apart)
      await kv.set('k', value, { timeoutMs: 60_000 })
      server.pause()
      const settings = { timeoutMs: 500 }
      await vi.waitFor(
        async () => expect(await codeOf(kv.get('k', { timeoutMs: 2_000 }))).toBeDefined(),
        patience,
      )
      // The second time some have a new connection, which is accepted and stays silent.
      for (const round of [1, 2]) {
        const reads = [kv.get('k', settings), kv.has('k', settings), kv.get('absent', settings)]
        const keys = Array.from({ length: 4 }, (__, i) => `${round} ${i}`)
        const writes = keys.map((key) => codeOf(kv.set(key, other, settings)))
        for (const code of await Promise.all(reads.map(codeOf)))
          expect(code).toMatch(/^(TIMEOUT|UNAVAILABLE)$/)
        for (const [i, code] of (await Promise.all(writes)).entries()) {
          expect(code).toMatch(/^(TIMEOUT|UNAVAILABLE|OUTCOME_UNKNOWN)$/)
          if (code !== 'OUTCOME_UNKNOWN') unchanged.add(keys[i] as string)
        }
      }
      server.resume()
      await vi.waitFor(() => kv.set('k', other), patience)
      expect(await kv.get('k')).toEqual(other)
      // What was reported as not done was not done, and is not done late.
      for (const key of unchanged) expect(await kv.get(key)).toBeUndefined()
    })
  })
})
