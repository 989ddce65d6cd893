import { getEventListeners } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cassandra } from '@unikv/cassandra'
import { type Bytes, keyValue, type Store, text } from '@unikv/core'
import { memcached } from '@unikv/memcached'
import { redis } from '@unikv/redis'
import { sqlite } from '@unikv/sqlite'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'

/** A signal looks through its listeners for each that comes or goes: one for each call would cost calls times calls. */
async function sharesListeners(store: Store<Bytes>): Promise<void> {
  const kv = keyValue(store, [text()], { timeoutMs: 60_000 })
  await kv.set('key', 'value')
  const { signal } = new AbortController()
  let isOver = false
  const gets = Array.from({ length: 200 }, (_, i) => kv.get(`key ${i}`, { signal }))
  const all = Promise.all(gets).finally(() => (isOver = true))
  let most = 0
  while (!isOver) {
    most = Math.max(most, getEventListeners(signal, 'abort').length)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await all
  expect(most).toBeLessThanOrEqual(2)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  await kv.close()
}

describe('calls that share a signal share its listener', () => {
  test.each([0, 2])('SQLite on %d threads', async (threads) => {
    const folder = await mkdtemp(join(tmpdir(), 'unikv-signals-'))
    await sharesListeners(sqlite({ path: join(folder, 'data.db'), threads }))
    await rm(folder, { recursive: true })
  })

  describeWith('redis', (url) => {
    test.each(['ioredis', 'node-redis'] as const)('Redis by %s', (driver) =>
      sharesListeners(redis({ url, driver })),
    )
  })

  describeWith('memcached', (url) => {
    test('memcached', () => sharesListeners(memcached({ url })))
  })

  describeWith('cassandra', (url) => {
    test('Cassandra', () => sharesListeners(cassandra({ url, table: 'signals', prepare: true })))
  })
})
