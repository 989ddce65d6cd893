import {
  type Bytes,
  compose,
  isEntry,
  json,
  keyValue,
  passThrough,
  type Store,
  StoreError,
} from '@unikv/core'

import { memory } from '@unikv/core/memory'
import { replaceTimers } from '@unikv/core/platform'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { cache } from '../src/index.ts'
import { bytes, gated, put, textOf } from './gated-cache.ts'
import { gatedStore, turn } from './gated-store.ts'

afterEach(() => vi.useRealTimers())

describe('one load for concurrent misses', () => {
  test('serves 10,000 waiters', async () => {
    const { store, stack, c } = gated()
    await put(store, 'a', '1')
    const kv = keyValue(stack, [], { timeoutMs: 600_000 })
    const waiters = Array.from({ length: 10_000 }, () => kv.get('a'))
    await store.open()
    const values = await Promise.all(waiters)
    expect(values.every((value) => textOf(value) === '1')).toBe(true)
    expect(new Set(values).size).toBe(10_000)
    expect(store.reads).toHaveLength(1)
    expect(c.stats()).toMatchObject({ loads: 1, misses: 1, joins: 9_999 })
  })

  test('that fails tells each waiter once, and the next reader tries again', async () => {
    const { store, stack } = gated()
    const kv = keyValue(stack, [], { timeoutMs: 600_000 })
    const waiters = Promise.allSettled(Array.from({ length: 10_000 }, () => kv.get('a')))
    // Traces of so many errors would take most of the time.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    await store.open(new StoreError('UNAVAILABLE', 'down'))
    const outcomes = await waiters
    Error.stackTraceLimit = stackTraceLimit
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10_000)
    expect(store.reads).toHaveLength(1)
    const next = kv.get('a')
    await store.open()
    expect(await next).toBeUndefined()
    expect(store.reads).toHaveLength(2)
  })

  test('that never ends holds each waiter no longer than his own deadline, and later readers not at all', async () => {
    const { store, stack } = gated()
    await put(store, 'a', '1')
    const kv = keyValue(stack)
    const early = kv.get('a', { timeoutMs: 60 })
    const patient = kv.get('a', { timeoutMs: 60_000 })
    await expect(early).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(store.reads).toHaveLength(2)
    await store.open()
    expect(textOf(await patient)).toBe('1')
  })

  test('carries nobody’s signal, and a deadline that is fair to all who joined', async () => {
    const seen: { deadlineAt: number; signal: unknown }[] = []
    const spy = passThrough('spy', {
      wrap: (inner) => ({
        read: (reads, call) => {
          seen.push({ deadlineAt: call.deadlineAt, signal: call.signal })
          return inner.read(reads, call)
        },
      }),
    })
    const store = gatedStore()
    const kv = keyValue(store, [cache(), spy])
    const startedAt = performance.now()
    const got = kv.get('a', { timeoutMs: 1_000, signal: new AbortController().signal })
    await store.open()
    await got
    expect(seen[0]?.signal).toBeUndefined()
    expect((seen[0]?.deadlineAt ?? 0) - startedAt).toBeGreaterThanOrEqual(1_999)
    expect((seen[0]?.deadlineAt ?? 0) - startedAt).toBeLessThan(3_000)
  })

  test('is not made at all once nobody waits for it', async () => {
    let asked = 0
    const queue = passThrough('queue', {
      wrap: (inner) => ({
        read: async (reads, call) => {
          await turn()
          if (call.settled === true) throw new StoreError('TIMEOUT', 'nobody waits')
          asked++
          return inner.read(reads, call)
        },
      }),
    })
    const kv = keyValue(memory(), [cache(), queue])
    const abort = new AbortController()
    const gone = kv.get('a', { signal: abort.signal })
    abort.abort()
    await expect(gone).rejects.toMatchObject({ code: 'ABORTED' })
    await turn()
    await turn()
    expect(asked).toBe(0)
    expect(await kv.get('a')).toBeUndefined()
    expect(asked).toBe(1)
  })

  test('gives a value that can be neither frozen nor copied to its starter alone', async () => {
    class Guarded {
      readonly #secret = 1
      reveal = (): number => this.#secret
    }
    const store = gatedStore()
    const guarded = passThrough('guarded', {
      wrap: (inner) => ({
        read: async (reads, call) =>
          (await inner.read(reads, call)).map((one) =>
            isEntry(one) ? { ...one, value: new Guarded() } : one,
          ),
      }),
    })
    await put(store, 'a', '1')
    const kv = keyValue(store, [cache(), guarded])
    const both = [kv.get('a'), kv.get('a')]
    await store.open()
    await store.open()
    const [a, b] = (await Promise.all(both)) as unknown as [Guarded, Guarded]
    expect(a).not.toBe(b)
    expect(b.reveal()).toBe(1)
  })
})

describe('nothing stale is kept', () => {
  test('of an increment', async () => {
    const kv = keyValue(memory(), [cache()])
    await kv.increment('n')
    expect(textOf(await kv.get('n'))).toBe('1')
    await kv.increment('n', 4)
    expect(textOf(await kv.get('n'))).toBe('5')
  })

  test('after a condition that did not hold, since somebody else wrote', async () => {
    const store = memory()
    const other = keyValue(store)
    const kv = keyValue(store, [cache(), json()])
    await kv.set('a', 1)
    await kv.get('a')
    await other.set('a', bytes('10'))
    expect(await kv.get('a')).toBe(1)
    expect(await kv.update('a', (n) => (n as number) + 1)).toBe(11)
    expect(await kv.get('a')).toBe(11)
  })

  test('for a while after a write of unknown outcome, which may take effect late', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(replaceTimers({ setTimeout, clearTimeout }))
    const store = memory()
    const lost = passThrough('lost', {
      wrap: () => ({ write: () => Promise.reject(new StoreError('OUTCOME_UNKNOWN', 'no reply')) }),
    })
    const c = cache()
    const kv = keyValue(store, [c, lost])
    const behind = keyValue(store)
    await behind.set('a', bytes('old'))
    await kv.get('a')
    await expect(kv.set('a', bytes('new'))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(textOf(await kv.get('a'))).toBe('old')
    await behind.set('a', bytes('new'))
    expect(textOf(await kv.get('a'))).toBe('new')
    expect(c.stats().entries).toBe(0)
    vi.advanceTimersByTime(10_000)
    await kv.get('a')
    expect(c.stats().entries).toBe(1)
  })
})

describe('strong reads', () => {
  test('pass by, and renew the entry', async () => {
    const store = memory()
    const kv = keyValue(store, [cache()])
    await kv.set('a', bytes('1'))
    await kv.get('a')
    await keyValue(store).set('a', bytes('2'))
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(textOf(await kv.get('a', { consistency: 'strong' }))).toBe('2')
    expect(textOf(await kv.get('a'))).toBe('2')
  })

  test('join no load, and overtake those under way', async () => {
    const { store, stack, c } = gated()
    await put(store, 'a', 'old')
    const kv = keyValue(stack)
    const usual = kv.get('a')
    store.look()
    await put(store, 'a', 'new')
    const strong = kv.get('a', { consistency: 'strong' })
    await store.open()
    expect(textOf(await strong)).toBe('new')
    expect(textOf(await usual)).toBe('old')
    expect(textOf(await kv.get('a'))).toBe('new')
    expect(c.stats()).toMatchObject({ bypasses: 1, misses: 1, hits: 1 })
  })

  test('are offered over a linearizable store that declares no levels, in words that it knows', async () => {
    const inner = memory()
    const levels: unknown[] = []
    const plain: Store<Bytes> = {
      ...inner,
      capabilities: { ...inner.capabilities, consistency: [] },
      read: (reads, call) => {
        levels.push(call.consistency)
        return inner.read(reads, call)
      },
    }
    const kv = keyValue(plain, [cache()])
    await kv.set('a', bytes('1'), { consistency: 'strong' })
    await kv.get('a', { consistency: 'strong' })
    await kv.has('a', { consistency: 'strong' })
    expect(levels).toEqual([undefined, undefined])
    expect(kv.capabilities).toMatchObject({ consistency: ['strong'], isolation: 'eventual' })
    const eventual: Store<Bytes> = {
      ...plain,
      capabilities: { ...plain.capabilities, isolation: 'eventual' },
    }
    expect(compose(eventual, [cache()]).capabilities.consistency).toEqual([])
  })

  test('of another level pass by, as the cache knows nothing of levels, and leave nothing older behind', async () => {
    const inner = memory()
    const levelled: Store<Bytes> = {
      ...inner,
      capabilities: { ...inner.capabilities, consistency: ['strong', 'nearby'] },
    }
    const c = cache()
    const kv = keyValue(levelled, [c])
    await kv.set('a', bytes('1'))
    await kv.get('a', { consistency: 'nearby' })
    expect(c.stats()).toMatchObject({ entries: 0, bypasses: 1 })
    await kv.get('a')
    await kv.get('a', { consistency: 'nearby' })
    expect(c.stats()).toMatchObject({ entries: 1, hits: 0, bypasses: 2 })
    await keyValue(inner).set('a', bytes('2'))
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(textOf(await kv.get('a', { consistency: 'nearby' }))).toBe('2')
    expect(textOf(await kv.get('a'))).toBe('2')
  })
})
