import { testClock } from '@unikv/conformance'
import {
  type Bytes,
  compose,
  type Entry,
  isEntry,
  json,
  keyValue,
  passThrough,
  type Store,
  StoreError,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryCapabilities, memory } from '@unikv/core/memory'
import { sync } from '@unikv/core/sync'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { cache, type ObjectCacheOptions } from '../src/index.ts'
import { type GatedStore, gatedStore, turn } from './gated-store.ts'

const bytes = (text: string): Bytes => Buffer.from(text)
const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : Buffer.from(value as Bytes).toString()

/** What a cache bounded by bytes and entries holds. */
class LruModel {
  readonly #held = new Map<string, number>()
  readonly #maxBytes: number
  readonly #maxEntries: number
  bytes = 0

  constructor(maxBytes: number, maxEntries: number) {
    this.#maxBytes = maxBytes
    this.#maxEntries = maxEntries
  }

  get size(): number {
    return this.#held.size
  }

  remove(key: string): void {
    this.bytes -= this.#held.get(key) ?? 0
    this.#held.delete(key)
  }

  add(key: string, size: number): void {
    if (size > this.#maxBytes) return
    this.#held.set(key, size)
    this.bytes += size
    for (const oldest of this.#held.keys()) {
      if (this.bytes <= this.#maxBytes && this.size <= this.#maxEntries) return
      this.remove(oldest)
    }
  }
}

afterEach(() => vi.useRealTimers())

/** The gated store as a type with all that the memory store declares. */
type Stack = Store<Bytes, MemoryCapabilities>

function gated(options: ObjectCacheOptions = {}) {
  const store = gatedStore(options.clock === undefined ? {} : { clock: options.clock })
  const c = cache(options)
  return { store, c, stack: compose(store, [c]) as Store<Bytes> as Stack }
}

async function put(store: GatedStore, key: string, text: string): Promise<void> {
  await keyValue(store.inner).set(key, bytes(text))
}

describe('a hit', () => {
  test('is the stored entry itself, without a promise, and names its tier', async () => {
    const stack = compose(memory(), [cache({ tier: 'near' }), json()])
    await keyValue(stack).set('a', { x: 1 })
    await stack.read([{ key: 'a' }], callOptions())
    const first = stack.read([{ key: 'a' }], callOptions()) as Entry<unknown>[]
    const second = stack.read([{ key: 'a' }], callOptions()) as Entry<unknown>[]
    expect(second[0]).toBe(first[0])
    expect(first[0]?.meta).toEqual({ tier: 'near' })
    expect(Object.isFrozen(first[0])).toBe(true)
  })

  test('looks at no clock unless the entry ends at some time', async () => {
    let looks = 0
    const clock = () => {
      looks++
      return 1_000
    }
    const kv = keyValue(memory({ clock: () => 1_000 }), [cache({ clock, monotonicClock: clock })], {
      clock: () => 1_000,
    })
    await kv.set('a', bytes('1'))
    await kv.set('mortal', bytes('1'), { ttlMs: 50 })
    await kv.getMany(['a', 'mortal'])
    looks = 0
    for (let i = 0; i < 10; i++) await kv.get('a')
    expect(looks).toBe(0)
    await kv.get('mortal')
    expect(looks).toBe(1)
  })

  test('answers head and known versions without the body', async () => {
    const { store, stack } = gated()
    await put(store, 'a', '1')
    const read = stack.read([{ key: 'a' }], callOptions())
    await store.open()
    const [entry] = (await read) as [Entry<Bytes>]
    const { version, expiresAt } = entry
    const notModified = { notModified: true, version, expiresAt, meta: { tier: 'memory' } }
    expect(stack.read([{ key: 'a', head: true }], callOptions())).toEqual([notModified])
    expect(stack.read([{ key: 'a', ifNotVersion: version }], callOptions())).toEqual([notModified])
    const other = stack.read([{ key: 'a', ifNotVersion: 'f'.repeat(24) }], callOptions()) as Entry<Bytes>[]
    expect(textOf(other[0]?.value)).toBe('1')
    expect(store.reads).toHaveLength(1)
  })

  test('works without promises through the synchronous twin', async () => {
    const kv = keyValue(memory(), [cache(), json()])
    const now = sync(kv)
    now.set('a', { x: 1 })
    expect(now.get('a')).toEqual({ x: 1 })
    expect(now.get('a')).toBe(now.get('a'))
  })
})

describe('a batch', () => {
  test('asks only for what is not at hand', async () => {
    const { store, stack, c } = gated()
    for (const key of ['a', 'b', 'c']) await put(store, key, key)
    const kv = keyValue(stack)
    const first = kv.get('b')
    await store.open()
    await first
    const all = kv.getMany(['a', 'b', 'c', 'd'])
    await store.open()
    expect((await all).map(textOf)).toEqual(['a', 'b', 'c', undefined])
    expect(store.reads.map((reads) => reads.map(({ key }) => key))).toEqual([['b'], ['a', 'c', 'd']])
    expect(c.stats()).toMatchObject({ hits: 1, misses: 4, loads: 4 })
  })

  test('fails in those items alone whose load failed', async () => {
    const { store, stack } = gated()
    await put(store, 'a', 'a')
    const kv = keyValue(stack)
    const first = kv.get('a')
    await store.open()
    await first
    const some = stack.read([{ key: 'a' }, { key: 'b' }], callOptions())
    await store.open(new StoreError('UNAVAILABLE', 'down'))
    const results = await some
    expect(isEntry(results[0])).toBe(true)
    expect(results[1]).toMatchObject({ code: 'UNAVAILABLE' })
    const none = expect(kv.getMany(['b', 'c'])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await store.open(new StoreError('UNAVAILABLE', 'down'))
    await none
  })
})

describe('one load for concurrent misses', () => {
  test('serves 10,000 waiters', async () => {
    const { store, stack, c } = gated()
    await put(store, 'a', '1')
    const kv = keyValue(stack)
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
    const kv = keyValue(stack)
    const waiters = Promise.allSettled(Array.from({ length: 10_000 }, () => kv.get('a')))
    await store.open(new StoreError('UNAVAILABLE', 'down'))
    const outcomes = await waiters
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10_000)
    expect(store.reads).toHaveLength(1)
    const next = kv.get('a')
    await store.open()
    expect(await next).toBeUndefined()
    expect(store.reads).toHaveLength(2)
  })

  test('is not hurt by the abort of a waiter, be it the first', async () => {
    const { store, stack } = gated()
    await put(store, 'a', '1')
    const kv = keyValue(stack)
    const abort = new AbortController()
    const first = kv.get('a', { signal: abort.signal })
    const second = kv.get('a')
    abort.abort()
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' })
    await store.open()
    expect(textOf(await second)).toBe('1')
    expect(store.reads).toHaveLength(1)
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
  const changes = ['set', 'delete', 'touch'] as const

  test.each(changes)('of a load that a %s overtakes', async (change) => {
    const { store, stack } = gated()
    await put(store, 'a', 'old')
    const reader = keyValue(stack)
    const writer = keyValue(stack)
    const reading = reader.get('a')
    store.look()
    if (change === 'set') await writer.set('a', bytes('new'))
    else if (change === 'delete') await writer.delete('a')
    else await writer.touch('a', { ttlMs: 1_000_000 })
    await store.open()
    expect(textOf(await reading)).toBe('old')
    const next = writer.getEntry('a')
    await store.open()
    const entry = await next
    if (change === 'set') expect(textOf(entry?.value)).toBe('new')
    else if (change === 'delete') expect(entry).toBeUndefined()
    else expect(entry?.expiresAt).toBeDefined()
  })

  test('of a load that began while the write was under way', async () => {
    const store = gatedStore()
    await put(store, 'a', 'old')
    let finish = (): void => {}
    const slowWrite = passThrough('slow', {
      wrap: (inner) => ({
        write: async (mutations, call) => {
          await new Promise<void>((resolve) => {
            finish = resolve
          })
          return inner.write(mutations, call)
        },
      }),
    })
    const both = compose(store, [cache(), slowWrite]) as Store<Bytes>
    const writing = keyValue(both).set('a', bytes('new'))
    const reader = keyValue(both)
    const during = reader.get('a')
    await store.open()
    expect(textOf(await during)).toBe('old')
    const again = reader.get('a')
    store.look()
    finish()
    await writing
    await store.open()
    expect(textOf(await again)).toBe('old')
    const after = reader.get('a')
    await store.open()
    expect(textOf(await after)).toBe('new')
  })

  test('of a revalidation that a write overtakes', async () => {
    const clock = testClock(0)
    const { store, stack } = gated({ freshForMs: 100, clock, monotonicClock: clock })
    const reader = keyValue(stack)
    await put(store, 'a', 'old')
    const first = reader.get('a')
    await store.open()
    await first
    clock.advance(100)
    const revalidating = reader.get('a')
    store.look()
    await keyValue(stack).set('a', bytes('new'))
    await store.open()
    expect(textOf(await revalidating)).toBe('old')
    const next = reader.get('a')
    await store.open()
    expect(textOf(await next)).toBe('new')
  })

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

  test('of another level are answered from the cache, but their loads are not kept', async () => {
    const inner = memory()
    const levelled: Store<Bytes> = {
      ...inner,
      capabilities: { ...inner.capabilities, consistency: ['strong', 'nearby'] },
    }
    const c = cache()
    const kv = keyValue(levelled, [c])
    await kv.set('a', bytes('1'))
    await kv.get('a', { consistency: 'nearby' })
    expect(c.stats()).toMatchObject({ entries: 0, misses: 1 })
    await kv.get('a')
    await kv.get('a', { consistency: 'nearby' })
    expect(c.stats()).toMatchObject({ entries: 1, hits: 1 })
  })
})

describe('freshness', () => {
  function aging(options: ObjectCacheOptions = {}) {
    const clock = testClock(1_000)
    const made = gated({ clock, monotonicClock: clock, ...options })
    return { ...made, clock, kv: keyValue(made.stack, [], { clock }) }
  }

  async function get(
    store: GatedStore,
    kv: { get(key: string): Promise<unknown> },
  ): Promise<string | undefined> {
    const got = kv.get('a')
    await store.open()
    return textOf(await got)
  }

  test('ends after freshForMs, and the store is then asked only whether the entry changed', async () => {
    const { store, kv, clock, c } = aging({ freshForMs: 100 })
    await put(store, 'a', '1')
    await get(store, kv)
    clock.advance(99)
    await get(store, kv)
    expect(store.reads).toHaveLength(1)
    clock.advance(1)
    expect(await get(store, kv)).toBe('1')
    expect(store.reads[1]).toEqual([{ key: 'a', ifNotVersion: expect.stringMatching(/^[0-9a-f]{24}$/) }])
    expect(c.stats()).toMatchObject({ staleHits: 1, revalidations: 1, hits: 1, misses: 2 })
    clock.advance(99)
    await get(store, kv)
    expect(store.reads).toHaveLength(2)
  })

  test('counts from when the load was asked for, not from its answer', async () => {
    const { store, kv, clock } = aging({ freshForMs: 100 })
    await put(store, 'a', '1')
    const got = kv.get('a')
    store.look()
    clock.advance(60)
    await store.open()
    await got
    clock.advance(40)
    await get(store, kv)
    expect(store.reads).toHaveLength(2)
  })

  test.each([
    ['changed', '2'],
    ['deleted', undefined],
  ])('ended, and the entry was %s meanwhile', async (_what, present) => {
    const { store, kv, clock, c } = aging({ freshForMs: 100 })
    await put(store, 'a', '1')
    await get(store, kv)
    clock.advance(100)
    if (present === undefined) await keyValue(store.inner).delete('a')
    else await put(store, 'a', present)
    expect(await get(store, kv)).toBe(present)
    expect(c.stats()).toMatchObject({ revalidations: 0, entries: present === undefined ? 0 : 1 })
  })

  test('ended, and the store fails: the error is the answer, and the entry stays for the next attempt', async () => {
    const { store, kv, clock, c } = aging({ freshForMs: 100 })
    await put(store, 'a', '1')
    await get(store, kv)
    clock.advance(100)
    const failing = expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await store.open(new StoreError('UNAVAILABLE', 'down'))
    await failing
    expect(await get(store, kv)).toBe('1')
    expect(c.stats()).toMatchObject({ revalidations: 1, failures: 1 })
  })

  test('that ended longer than keepForMs ago is not revalidated', async () => {
    const { store, kv, clock } = aging({ freshForMs: 100, keepForMs: 50 })
    await put(store, 'a', '1')
    await get(store, kv)
    clock.advance(151)
    await get(store, kv)
    expect(store.reads[1]).toEqual([{ key: 'a', ifNotVersion: undefined }])
  })

  test('is not prolonged by a wall clock that is set back', async () => {
    const monotonic = testClock(0)
    const wall = testClock(1_000_000)
    const { store, stack } = gated({ freshForMs: 100, clock: wall, monotonicClock: monotonic })
    const kv = keyValue(stack)
    await put(store, 'a', '1')
    await get(store, kv)
    wall.advance(-3_600_000)
    monotonic.advance(100)
    await get(store, kv)
    expect(store.reads).toHaveLength(2)
  })

  test('never outlives the expiry of the record', async () => {
    const { store, kv, clock } = aging()
    await kv.set('a', bytes('1'), { ttlMs: 100 })
    await get(store, kv)
    clock.advance(99)
    expect(await get(store, kv)).toBe('1')
    expect(store.reads).toHaveLength(1)
    clock.advance(1)
    expect(await get(store, kv)).toBeUndefined()
  })

  test('of an expiry that was moved by somebody else is learnt by revalidating', async () => {
    const { store, kv, clock } = aging({ freshForMs: 10 })
    await kv.set('a', bytes('1'), { ttlMs: 100 })
    await get(store, kv)
    clock.advance(50)
    await keyValue(store.inner, [], { clock }).touch('a', { ttlMs: 1_000 })
    await get(store, kv)
    clock.advance(500)
    expect(await get(store, kv)).toBe('1')
  })
})

describe('absent keys', () => {
  test('are asked for each time, by default', async () => {
    const { store, stack } = gated()
    const kv = keyValue(stack)
    for (let i = 0; i < 2; i++) {
      const got = kv.get('a')
      await store.open()
      expect(await got).toBeUndefined()
    }
    expect(store.reads).toHaveLength(2)
  })

  test('are known for absentForMs, and no longer than until they are written', async () => {
    const clock = testClock(0)
    const { store, stack, c } = gated({ absentForMs: 100, clock, monotonicClock: clock })
    const kv = keyValue(stack)
    const first = kv.get('a')
    await store.open()
    await first
    expect(await kv.get('a')).toBeUndefined()
    expect(await kv.has('a')).toBe(false)
    expect(c.stats()).toMatchObject({ hits: 2, entries: 1 })
    await put(store, 'a', 'by another process')
    clock.advance(100)
    const later = kv.get('a')
    await store.open()
    expect(textOf(await later)).toBe('by another process')
    await kv.delete('a')
    const gone = kv.get('a')
    await store.open()
    await gone
    await kv.set('a', bytes('mine'))
    const mine = kv.get('a')
    await store.open()
    expect(textOf(await mine)).toBe('mine')
  })
})

describe('bounds', () => {
  test('the least recently used entry makes room', async () => {
    const c = cache({ maxEntries: 2 })
    const kv = keyValue(memory(), [c])
    for (const key of ['a', 'b', 'c']) await kv.set(key, bytes(key))
    for (const key of ['a', 'b', 'a', 'c']) await kv.get(key)
    expect(c.stats()).toMatchObject({ entries: 2, evictions: 1, hits: 1 })
    await kv.get('a')
    expect(c.stats().hits).toBe(2)
    await kv.get('b')
    expect(c.stats()).toMatchObject({ hits: 2, evictions: 2 })
  })

  test('a value that is larger than the cache is not kept, and evicts nothing', async () => {
    const c = cache({ maxBytes: 2_000 })
    const kv = keyValue(memory(), [c])
    await kv.set('small', bytes('x'))
    await kv.get('small')
    await kv.set('large', Buffer.alloc(2_000))
    await kv.get('large')
    await kv.get('large')
    expect(c.stats()).toMatchObject({ entries: 1, evictions: 0, refusals: 2 })
  })

  test('bytes are accounted for exactly over a million random operations, and never exceed the bound', () => {
    const maxBytes = 60_000
    const c = cache({ maxBytes, maxEntries: 100, sizeOf: (value) => (value as Bytes).length })
    const kv = sync(keyValue(memory(), [c]))
    const body = Buffer.alloc(70_000)
    const model = new LruModel(maxBytes, 100)
    let state = 1
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 8) % below
    }
    let largest = 0
    for (let i = 0; i < 1_000_000; i++) {
      const key = `k${random(200)}`
      const dice = random(10)
      if (dice < 3) kv.set(key, body.subarray(0, random(100) === 0 ? 60_000 + random(10_000) : random(2_000)))
      else if (dice < 4) kv.delete(key)
      if (dice < 4) model.remove(key)
      else {
        const value = kv.get(key)
        model.remove(key)
        if (value !== undefined) model.add(key, 256 + 16 + 8 * Math.ceil(key.length / 8) + value.length)
      }
      if (i % 1_000 !== 0) continue
      const { bytes: accounted, entries } = c.stats()
      expect({ accounted, entries }).toEqual({ accounted: model.bytes, entries: model.size })
      largest = Math.max(largest, model.bytes)
    }
    expect(largest).toBeLessThanOrEqual(maxBytes)
    expect(largest).toBeGreaterThan(maxBytes / 2)
  }, 120_000)

  test('a wrong answer of sizeOf keeps the value out', async () => {
    const c = cache({ sizeOf: () => Number.NaN })
    const kv = keyValue(memory(), [c])
    await kv.set('a', bytes('1'))
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(c.stats()).toMatchObject({ entries: 0, refusals: 1 })
  })
})

describe('the handle', () => {
  test('forgets everything at once, what is under way included', async () => {
    const { store, stack, c } = gated()
    await put(store, 'a', 'old')
    const kv = keyValue(stack)
    const reading = kv.get('a')
    store.look()
    await put(store, 'a', 'new')
    c.clear()
    await store.open()
    expect(textOf(await reading)).toBe('old')
    expect(c.stats().entries).toBe(0)
  })

  test('may stand in several stacks, which share nothing but the counts', async () => {
    const c = cache()
    const one = keyValue(memory(), [c])
    const two = keyValue(memory(), [c])
    await one.set('a', bytes('1'))
    await two.set('a', bytes('2'))
    for (const kv of [one, two, one, two]) await kv.get('a')
    expect(textOf(await one.get('a'))).toBe('1')
    expect(c.stats()).toMatchObject({ entries: 2, hits: 3, misses: 2, hitRate: 0.6 })
    await one.close()
    expect(c.stats()).toMatchObject({ entries: 1 })
  })

  test.each<[ObjectCacheOptions, string]>([
    [{ maxEntries: 0 }, 'maxEntries'],
    [{ maxBytes: 1.5 }, 'maxBytes'],
    [{ share: 'clone' as never }, 'share'],
    [{ freshForMs: -1 }, 'freshForMs'],
    [{ keepForMs: Number.NaN }, 'keepForMs'],
    [{ absentForMs: '1' as never }, 'absentForMs'],
  ])('refuses %j', (options, name) => {
    expect(() => cache(options)).toThrow(name)
  })
})
