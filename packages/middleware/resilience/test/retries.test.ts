import { compose, isStoreError, keyValue, newVersion, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { type ResilienceEvent, type ResilienceOptions, resilience } from '../src/index.ts'
import { type Fate, flakyStore } from './flaky-store.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const quick = { baseMs: 1 }

function guarded(fates: Fate[], options: ResilienceOptions = {}) {
  const store = flakyStore(fates)
  const events: ResilienceEvent[] = []
  const layer = resilience({
    retry: quick,
    breaker: false,
    ...options,
    onEvent: (event) => void events.push(event),
  })
  const kv = keyValue(store, [layer], { coalesce: false })
  return { store, events, layer, kv, stats: () => layer.stats()[0]! }
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (isStoreError(error) ? error.code : error),
  )

describe('reads', () => {
  test('are tried again, whatever was lost', async () => {
    const { kv, stats, events } = guarded(['answered', 'refused', 'reply lost', 'request lost'])
    await kv.set('a', bytes('1'))
    expect(await kv.get('a')).toEqual(bytes('1'))
    expect(stats().retries).toBe(3)
    expect(events.map(({ type }) => type)).toEqual(['retry', 'retry', 'retry'])
  })

  test('are given up after the last attempt, with the error of the store', async () => {
    const { kv, store } = guarded(['refused', 'refused', 'refused', 'refused', 'answered'])
    expect(await codeOf(kv.get('a'))).toBe('UNAVAILABLE')
    expect(store.asked).toHaveLength(4)
  })

  test('without retries are asked once', async () => {
    const { kv, store } = guarded(['refused'], { retry: false })
    expect(await codeOf(kv.get('a'))).toBe('UNAVAILABLE')
    expect(store.asked).toHaveLength(1)
  })

  test('never outlive their deadline', async () => {
    const { kv, store } = guarded(Array<Fate>(9).fill('refused'), {
      retry: { baseMs: 60_000, capMs: 60_000 },
      random: () => 0.9,
    })
    const startedAt = performance.now()
    expect(await codeOf(kv.get('a', { timeoutMs: 10_000 }))).toBe('UNAVAILABLE')
    expect(performance.now() - startedAt).toBeLessThan(9_000)
    expect(store.asked).toHaveLength(1)
  })

  test('of a batch are tried again item by item', async () => {
    const store = flakyStore()
    const failing = new Set(['b'])
    const half = {
      ...store,
      read: async (...[reads, call]: Parameters<typeof store.read>) => {
        const results = await store.read(reads, call)
        return results.map((result, i) => {
          return failing.delete(reads[i]!.key) ? new StoreError('OVERLOADED', 'too much') : result
        })
      },
    }
    const stack = compose(half, [resilience({ retry: quick })], { coalesce: false })
    await stack.write(
      ['a', 'b', 'c'].map((key) => set(key)),
      callOptions(),
    )
    const found = await stack.read([{ key: 'a' }, { key: 'b' }, { key: 'c' }], callOptions())
    expect(found.some(isStoreError)).toBe(false)
    expect(store.asked.map(({ keys }) => keys.join(''))).toEqual(['abc', 'abc', 'b'])
  })
})

describe('writes', () => {
  test('that certainly changed nothing are tried again', async () => {
    const { kv, store } = guarded(['refused', 'refused'])
    await kv.set('a', bytes('1'))
    expect(store.asked).toHaveLength(3)
    expect(await kv.get('a')).toEqual(bytes('1'))
  })

  test.each([
    ['set', (kv) => kv.set('a', bytes('1'))],
    ['delete', (kv) => kv.delete('a')],
    ['touch', (kv) => kv.touch('a', { ttlMs: 1_000 })],
    ['increment', (kv) => kv.increment('n')],
  ] as readonly [string, (kv: ReturnType<typeof guarded>['kv'] & Counting) => Promise<unknown>][])(
    'of unknown outcome are not: %s',
    async (_, run) => {
      const { kv, store } = guarded(['reply lost'])
      expect(await codeOf(run(kv as never))).toBe('OUTCOME_UNKNOWN')
      expect(store.asked).toHaveLength(1)
    },
  )

  test('of unknown outcome are tried again where late duplicates are allowed, but for increments', async () => {
    const { kv, store } = guarded(['reply lost', 'request lost'], {
      retry: { ...quick, lateDuplicates: 'allowed' },
    })
    await kv.set('a', bytes('1'))
    expect(store.asked).toHaveLength(3)
    store.fates.push('reply lost')
    const counting = kv as unknown as Counting
    expect(await codeOf(counting.increment('n'))).toBe('OUTCOME_UNKNOWN')
    expect(await counting.increment('n')).toBe(2)
  })

  test.each([
    ['is not sent', 'not sent'],
    ['waits for a connection until the deadline', 'connecting'],
  ] as const)('stay of unknown outcome where the next attempt %s', async (_, next) => {
    const { kv, store } = guarded(['reply lost', ...Array<Fate>(9).fill(next)], {
      retry: { ...quick, lateDuplicates: 'allowed' },
    })
    expect(await codeOf(kv.set('a', bytes('1'), { timeoutMs: 500 }))).toBe('OUTCOME_UNKNOWN')
    store.fates.length = 0
    expect(await keyValue(store).get('a')).toEqual(bytes('1'))
  })

  test('of a batch that took effect in part are unknown at the deadline, though the rest waits for a connection', async () => {
    const store = flakyStore()
    const half = {
      ...store,
      write: async (...[mutations, call]: Parameters<typeof store.write>) => {
        const [first, ...rest] = await store.write(mutations, call)
        store.fates.push('connecting')
        return [first!, ...rest.map(() => new StoreError('OVERLOADED', 'too much'))]
      },
    }
    const kv = keyValue(half, [resilience({ retry: quick, breaker: false })], { coalesce: false })
    const work = kv.setMany(
      [
        ['a', bytes('1')],
        ['b', bytes('2')],
      ],
      { timeoutMs: 300 },
    )
    const error: StoreError = await work.then(
      () => expect.unreachable(),
      (thrown: StoreError) => thrown,
    )
    const codes = (error.results ?? [error]).map((one) => isStoreError(one) && one.code)
    expect(codes).toContain('OUTCOME_UNKNOWN')
    expect(codes).not.toContain('TIMEOUT')
  })

  test('whose condition was refused are not', async () => {
    const { kv, store } = guarded([])
    await kv.set('a', bytes('1'))
    expect(await codeOf((kv as unknown as Conditional).set('a', bytes('2'), { ifVersion: null }))).toBe(
      'CONDITION_FAILED',
    )
    expect(store.asked).toHaveLength(2)
  })

  test('that wait for another attempt are certainly not applied at their deadline', async () => {
    const fates = Array<Fate>(9).fill('refused')
    const { kv, store } = guarded(fates, { retry: { baseMs: 1_000, capMs: 1_000 }, random: () => 0.99 })
    // Half a second on both sides of the second attempt, which would be unknown if it were under way at the deadline.
    const code = await codeOf(kv.set('a', bytes('1'), { timeoutMs: 1_500 }))
    expect(['TIMEOUT', 'UNAVAILABLE']).toContain(code)
    store.fates.length = 0
    expect(await kv.get('a')).toBeUndefined()
  })
})

describe('a conditional set of unknown outcome', () => {
  const create = (kv: unknown): Promise<{ version: string | undefined }> =>
    (kv as Conditional).set('a', bytes('1'), { ifVersion: null })

  test('succeeds if the version of its attempt is found', async () => {
    const { kv, stats } = guarded(['reply lost'])
    const { version } = await create(kv)
    expect((await kv.getEntry('a'))?.version).toBe(version)
    expect(stats()).toMatchObject({ readBacks: 1, readBacksFound: 1, retries: 0 })
  })

  test('stays unknown if it is not, and is never sent again', async () => {
    const { kv, store, stats } = guarded(['request lost'])
    const error = await create(kv).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', version: expect.stringMatching(/^[0-9a-f]{24}$/) })
    expect(store.asked.filter(({ verb }) => verb === 'write')).toHaveLength(1)
    expect(stats()).toMatchObject({ readBacks: 1, readBacksFound: 0 })
  })

  test('stays unknown if the look-up fails too', async () => {
    const { kv } = guarded(['reply lost', ...Array<Fate>(9).fill('refused')])
    expect(await codeOf(create(kv))).toBe('OUTCOME_UNKNOWN')
  })

  test('in a batch is told item by item', async () => {
    const store = flakyStore(['reply lost'])
    const stack = compose(store, [resilience()], { coalesce: false })
    const batch = [{ ...set('a'), ifVersion: null }]
    expect(await stack.write(batch, callOptions())).toEqual([{ version: batch[0]!.version }])
  })
})

test('retries stay below a tenth of the calls, plus the burst', async () => {
  const { kv, store, stats } = guarded(Array<Fate>(10_000).fill('refused'), {
    retry: { baseMs: 0.01, burst: 5 },
  })
  for (let i = 0; i < 500; i++) await codeOf(kv.get('a'))
  expect(stats().retries).toBeLessThanOrEqual(55)
  expect(stats().retries).toBeGreaterThan(40)
  expect(store.asked.length).toBe(500 + stats().retries)
})

test('waits are random up to the base, doubled each time, up to the cap', async () => {
  const { kv, events } = guarded(Array<Fate>(9).fill('refused'), {
    retry: { attempts: 6, baseMs: 4, capMs: 20 },
    random: () => 0.5,
  })
  await codeOf(kv.get('a'))
  expect(events).toMatchObject(
    [2, 4, 8, 10, 10].map((waitMs, i) => ({ type: 'retry', attempt: i + 2, waitMs })),
  )
})

test('closing ends those who wait, and leaves no timer', async () => {
  const { kv } = guarded(Array<Fate>(9).fill('refused'), {
    retry: { baseMs: 60_000, capMs: 60_000 },
    random: () => 0.5,
  })
  const call = codeOf(kv.get('a', { timeoutMs: 600_000 }))
  await new Promise((resolve) => void setTimeout(resolve, 50))
  const impatient = keyValue(flakyStore(), [], { graceMs: 1 })
  await impatient.close()
  await kv.close()
  expect(['UNAVAILABLE', 'CLOSED']).toContain(await call)
})

test('an abort ends the wait', async () => {
  const { kv } = guarded(Array<Fate>(9).fill('refused'), {
    retry: { baseMs: 60_000, capMs: 60_000 },
    random: () => 0.5,
  })
  const controller = new AbortController()
  const call = codeOf(kv.get('a', { timeoutMs: 600_000, signal: controller.signal }))
  setTimeout(() => controller.abort(), 20)
  expect(await call).toBe('ABORTED')
})

test('a scan goes on where it stood', async () => {
  const { kv, store } = guarded([])
  await kv.setMany(Array.from({ length: 10 }, (_, i) => [`key ${i}`, bytes('v')] as const))
  const listing = kv as unknown as { keys(options: { pageSize: number }): AsyncIterable<string> }
  store.fates.push('answered', 'refused', 'answered', 'reply lost')
  const keys: string[] = []
  for await (const key of listing.keys({ pageSize: 3 })) keys.push(key)
  expect(keys).toEqual(Array.from({ length: 10 }, (_, i) => `key ${i}`))
})

interface Counting {
  increment(key: string): Promise<number>
  touch(key: string, options: { ttlMs: number }): Promise<boolean>
}

interface Conditional {
  set(
    key: string,
    value: Uint8Array,
    options: { ifVersion: string | null },
  ): Promise<{ version: string | undefined }>
}

function set(key: string) {
  return { type: 'set', key, value: bytes(key), version: newVersion() } as const
}
