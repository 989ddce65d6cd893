import { newVersion, type StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { expect, test, vi } from 'vitest'
import { admin, describeDrivers, server } from './faulty-server.ts'
import { bytes, codeOf, type Draft, fresh, read, set, text, write, writeAll } from './fresh.ts'

describeDrivers(({ driver }) => {
  test('a server that is killed and restarted is found again by the next call', async () => {
    const store = fresh({ driver, url: server.url as `redis://${string}` })
    for (let round = 0; round < 5; round++) {
      await set(store, 'k', `v${round}`)
      const calls = Array.from({ length: 20 }, (_, i) =>
        codeOf(i % 2 === 0 ? read(store, 'k') : set(store, `k${i}`, 'v')),
      )
      await server.kill()
      for (const code of await Promise.all(calls))
        expect([undefined, 'UNAVAILABLE', 'OUTCOME_UNKNOWN']).toContain(code)
      expect(await codeOf(read(store, 'k'))).toBe('UNAVAILABLE')
      const call = callOptions()
      await expect(
        store.write([{ type: 'delete', key: 'k', version: newVersion() }], call),
      ).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      expect(call.sent).toBe(false)
      await server.restart()
      expect(await read(store, 'k')).toBeUndefined()
    }
  })

  test('a full server answers STORE_FULL to every write and keeps everything', async () => {
    const store = fresh({ driver, url: server.url as `redis://${string}` })
    const version = await set(store, 'k', '1')
    await write(store, { type: 'increment', key: 'k', by: 1, initial: 0 })
    await set(store, 'k', '1', 'keep')
    try {
      await admin.config('SET', 'maxmemory', '100')
      const drafts: Draft[] = [
        { type: 'set', key: 'a', value: bytes('x') },
        { type: 'set', key: 'b', value: bytes('x'), expiresAt: Date.now() + 60_000 },
        { type: 'set', key: 'c', value: bytes('x'), ifVersion: null },
        { type: 'set', key: 'k', value: bytes('x'), expiresAt: 'keep' },
        { type: 'touch', key: 'k', expiresAt: undefined },
        { type: 'increment', key: 'k', by: 1, initial: 0 },
      ]
      for (const draft of drafts) expect(await codeOf(write(store, draft)), draft.type).toBe('STORE_FULL')
      const many = await writeAll(
        store,
        Array.from({ length: 9 }, (_, i) => ({
          type: 'set',
          key: `m${i}`,
          value: bytes('x'),
          expiresAt: Date.now() + 60_000,
        })),
      )
      expect(new Set(many.map((result) => (result as StoreError).code))).toEqual(new Set(['STORE_FULL']))
      expect(await text(store, 'k')).toBe('1')
      expect(await write(store, { type: 'delete', key: 'k', ifVersion: version })).toMatchObject({
        conditionFailed: true,
      })
      expect(await write(store, { type: 'delete', key: 'k' })).toMatchObject({
        version: expect.any(String),
      })
    } finally {
      await admin.config('SET', 'maxmemory', '0')
    }
    for (const key of ['a', 'b', 'c', 'm0']) expect(await read(store, key)).toBeUndefined()
  })

  test('a primary that became a replica is UNAVAILABLE for writes, and its connection is dropped', async () => {
    const store = fresh({ driver, url: server.url as `redis://${string}` })
    await set(store, 'k', 'v')
    expect(isConnected(store.native)).toBe(true)
    try {
      await admin.replicaof('127.0.0.1', '1')
      expect(await codeOf(set(store, 'k', 'w'))).toBe('UNAVAILABLE')
      await vi.waitFor(() => expect(isConnected(store.native)).toBe(false))
    } finally {
      await admin.replicaof('NO', 'ONE')
    }
    await set(store, 'k', 'w')
    expect(await text(store, 'k')).toBe('w')
  })

  test('a value above the limit of the server is VALUE_TOO_LARGE or unknown, and the store goes on', async () => {
    const store = fresh({ driver, url: server.url as `redis://${string}` })
    try {
      await admin.config('SET', 'proto-max-bulk-len', `${1024 * 1024}`)
      expect(await codeOf(set(store, 'k', 'x'.repeat(2_000_000)))).toMatch(/VALUE_TOO_LARGE|OUTCOME_UNKNOWN/)
      expect(await read(store, 'k')).toBeUndefined()
      await set(store, 'k', 'v')
    } finally {
      await admin.config('SET', 'proto-max-bulk-len', `${512 * 1024 * 1024}`)
    }
  })
})

function isConnected(native: object): boolean {
  return 'status' in native ? native.status === 'ready' : 'isReady' in native && native.isReady === true
}
