import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Store } from '../src/contract/store.ts'
import { keyValue } from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'
import { pause, setInterval, setTimeout } from '../src/platform/index.ts'
import { silentStore, slowStore } from './slow-store.ts'

const realPause = sleep
const faked = ['setTimeout', 'setInterval', 'setImmediate', 'Date', 'performance', 'queueMicrotask'] as const
const merging = <S extends Store<Uint8Array>>(store: S): S => ({
  ...store,
  capabilities: {
    ...store.capabilities,
    batch: { ...store.capabilities.batch, coalesce: { min: 2, max: 8 } },
  },
})

afterEach(() => void vi.useRealTimers())

describe('fake timers', () => {
  test.each(['before', 'after'])('that are installed %s the store is made change nothing', async (when) => {
    if (when === 'before') vi.useFakeTimers({ toFake: [...faked] })
    const { store } = slowStore({ pause: () => realPause(1) })
    const kv = keyValue(merging(store), [], { timeoutMs: 20_000 })
    const silent = keyValue(silentStore(), [], { timeoutMs: 30 })
    vi.useFakeTimers({ toFake: [...faked] })
    await Promise.all(Array.from({ length: 12 }, (_, i) => kv.set(`k${i}`, new Uint8Array(1))))
    expect(await kv.getMany(['k0', 'k11'])).toHaveLength(2)
    await expect(silent.get('a')).rejects.toMatchObject({ code: 'TIMEOUT' })
    const open = Promise.all(Array.from({ length: 12 }, (_, i) => kv.get(`k${i}`)))
    vi.useRealTimers()
    expect(await open).toHaveLength(12)
    await expect(silent.get('a')).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(await kv.get('k1')).toBeDefined()
    await kv.close()
  })

  test('move no expiry, of the store or of the KeyValue, unless a clock is given', async () => {
    vi.useFakeTimers()
    const now = (): number => Date.now()
    const mixed = [keyValue(memory(), []), keyValue(memory({ clock: now }), [], { clock: now })]
    for (const kv of mixed) await kv.set('a', new Uint8Array(1), { ttlMs: 60_000 })
    vi.advanceTimersByTime(61_000)
    expect(await Promise.all(mixed.map((kv) => kv.has('a')))).toEqual([true, false])
  })
})

describe('timers of any length', () => {
  test.each([Number.POSITIVE_INFINITY, 2 ** 31, 3e9])('%d is not at once', async (ms) => {
    let ran = 0
    const timers = [setTimeout(() => ran++, ms), setInterval(() => ran++, ms)]
    const stop = new AbortController()
    const paused = pause(ms, { signal: stop.signal })
    await realPause(20)
    for (const timer of timers) clearTimeout(timer)
    stop.abort()
    await paused
    expect(ran).toBe(0)
  })

  test('a close without an end of its grace waits for calls under way', async () => {
    const { store } = slowStore({ pause: () => realPause(20) })
    const kv = keyValue(store, [], { graceMs: Number.POSITIVE_INFINITY })
    const written = kv.set('a', new Uint8Array(1))
    await realPause(1)
    await kv.close()
    await expect(written).resolves.toHaveProperty('version')
  })

  test.each([
    ['timeoutMs', Number.NaN],
    ['timeoutMs', -1],
    ['timeoutMs', 0],
    ['timeoutMs', '5'],
    ['graceMs', -1],
    ['graceMs', Number.NaN],
  ])('%s: %s is refused', async (name, ms) => {
    expect(() => keyValue(memory(), [], { [name]: ms })).toThrow(name)
  })
})
