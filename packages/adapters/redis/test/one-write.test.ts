import { Socket } from 'node:net'
import { keyValue } from '@unikv/core'
import { expect, test, vi } from 'vitest'
import { describeDrivers, server } from './faulty-server.ts'
import { bytes, fresh, set } from './fresh.ts'

/** How often sockets of this process write while this works: once for each call of the system. */
async function writesDuring(work: () => Promise<unknown>): Promise<number> {
  const socket = Socket.prototype as unknown as Record<'_write' | '_writev', (...given: unknown[]) => void>
  const spies = [vi.spyOn(socket, '_write'), vi.spyOn(socket, '_writev')]
  try {
    await work()
    return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

describeDrivers(({ driver }) => {
  test('eight commands of one turn leave in one write, of whatever kind they are', async () => {
    const store = fresh({ driver, url: server.url as `redis://${string}` })
    await set(store, 'k', 'v')
    const kv = keyValue(store, [], { coalesce: false })
    const keys = Array.from({ length: 8 }, (_, i) => `k${i}`)
    expect(await writesDuring(() => Promise.all(keys.map((key) => kv.get(key))))).toBe(1)
    expect(await writesDuring(() => Promise.all(keys.map((key) => kv.set(key, bytes(key)))))).toBe(1)
    const mixed = [
      () => kv.get('k'),
      () => kv.getMany(['k', 'l']),
      () => kv.set('a', bytes('a'), { ttlMs: 60_000 }),
      () => kv.set('b', bytes('b'), { ifVersion: null }),
      () => kv.delete('c'),
      () => kv.increment('n'),
    ]
    const all = (): Promise<unknown> => Promise.allSettled(mixed.map((call) => call()))
    await all() // from here on the server knows the scripts
    expect(await writesDuring(all)).toBe(1)
  })
})
