import { testClock } from '@unikv/conformance'
import { isStoreError, keyValue, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, type ObjectCacheOptions } from '../src/index.ts'
import { bytes, gated, put, textOf } from './gated-cache.ts'
import { turn } from './gated-store.ts'

const down = () => new StoreError('UNAVAILABLE', 'down')

/** A cache with the entry `a: 1`, fresh for 100 ms, over a gated store. */
async function aged(options: ObjectCacheOptions) {
  const clock = testClock(1_000)
  const made = gated({ freshForMs: 100, clock, monotonicClock: clock, ...options })
  const kv = keyValue(made.stack, [], { clock, timeoutMs: 1_000 })
  await put(made.store, 'a', '1')
  const filled = kv.get('a')
  await made.store.open()
  await filled
  return { ...made, clock, kv }
}

/** As that of a platform when no request is being handled. */
const outsideRequest = (): never => {
  throw new Error('outside a request')
}

const answerOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (entry) => {
      const { value, meta } = entry as { value: unknown; meta?: { stale?: boolean } }
      return [textOf(value), meta?.stale === true ? 'stale' : 'fresh']
    },
    (error: unknown) => (isStoreError(error) ? error.code : error),
  )

describe('stale while it is renewed', () => {
  const inBackground = () => {
    const work: Promise<unknown>[] = []
    return { work, background: (one: Promise<unknown>) => void work.push(one) }
  }

  test('the entry is the answer at once, for as many as ask, and one load renews it', async () => {
    const { work, background } = inBackground()
    const { store, kv, clock, c } = await aged({ staleWhileRevalidateMs: 500, background })
    await put(store, 'a', '2')
    clock.advance(100)
    for (let n = 0; n < 5; n++) expect(await answerOf(kv.getEntry('a'))).toEqual(['1', 'stale'])
    expect(await answerOf(kv.getMany(['a']).then(([value]) => ({ value })))).toEqual(['1', 'fresh'])
    expect(store.reads).toHaveLength(2)
    expect(work).toHaveLength(1)
    await store.open()
    await Promise.all(work)
    expect(await answerOf(kv.getEntry('a'))).toEqual(['2', 'fresh'])
    expect(c.stats()).toMatchObject({ hits: 7, misses: 1, staleHits: 6, staleAnswers: 6, loads: 2 })
  })

  test('the entry is the answer although background throws, and is renewed', async () => {
    const { store, kv, clock } = await aged({ staleWhileRevalidateMs: 500, background: outsideRequest })
    await put(store, 'a', '2')
    clock.advance(100)
    expect(await answerOf(kv.getEntry('a'))).toEqual(['1', 'stale'])
    await store.open()
    await turn()
    expect(await answerOf(kv.getEntry('a'))).toEqual(['2', 'fresh'])
  })

  test('a batch is renewed by one load, without the keys that are being renewed already', async () => {
    const { work, background } = inBackground()
    const { store, kv, clock } = await aged({ staleWhileRevalidateMs: 500, background })
    for (const key of ['b', 'c']) await put(store, key, '1')
    const filled = kv.getMany(['b', 'c'])
    await store.open()
    await filled
    clock.advance(100)
    await kv.get('b')
    expect((await kv.getMany(['a', 'b', 'c'])).map(textOf)).toEqual(['1', '1', '1'])
    expect(store.reads.slice(2).map((reads) => reads.map(({ key }) => key))).toEqual([['b'], ['a', 'c']])
    expect(work).toHaveLength(2)
    await store.open()
    await Promise.all(work)
  })

  test('a load that fails leaves the entry for the next one, and rejects nowhere', async () => {
    const { work, background } = inBackground()
    const { store, kv, clock, c } = await aged({ staleWhileRevalidateMs: 500, background })
    clock.advance(100)
    for (let n = 0; n < 2; n++) {
      expect(await answerOf(kv.getEntry('a'))).toEqual(['1', 'stale'])
      await store.open(down())
    }
    await Promise.all(work)
    expect(work).toHaveLength(2)
    expect(c.stats()).toMatchObject({ failures: 2, staleAnswers: 2 })
  })

  test('without background the reader waits for the load', async () => {
    const { store, kv, clock } = await aged({ staleWhileRevalidateMs: 500 })
    await put(store, 'a', '2')
    clock.advance(100)
    const got = kv.getEntry('a')
    await store.open()
    expect(await answerOf(got)).toEqual(['2', 'fresh'])
  })

  test.each<[string, (made: Awaited<ReturnType<typeof aged>>) => Promise<unknown>]>([
    [
      'when its time is over',
      async ({ kv, clock }) => {
        clock.advance(500)
        return kv.getEntry('a')
      },
    ],
    ['to a strong read', async ({ kv }) => kv.getEntry('a', { consistency: 'strong' })],
  ])('no stale entry is the answer %s', async (_when, ask) => {
    const made = await aged({ staleWhileRevalidateMs: 500, background: () => {} })
    await put(made.store, 'a', '2')
    made.clock.advance(100)
    const got = ask(made)
    await turn()
    await made.store.open()
    expect(await answerOf(got)).toEqual(['2', 'fresh'])
  })

  test('what a write has removed, or has expired by itself, is not there any more', async () => {
    const { store, kv, clock } = await aged({ staleWhileRevalidateMs: 500, background: () => {} })
    clock.advance(100)
    await kv.set('a', bytes('3'), { ttlMs: 150 })
    const written = kv.getEntry('a')
    await store.open()
    expect(await answerOf(written)).toEqual(['3', 'fresh'])
    clock.advance(150)
    const expired = kv.get('a')
    await store.open()
    expect(await expired).toBeUndefined()
  })

  test('over a store that answers at once nothing is stale', async () => {
    const clock = testClock(1_000)
    const c = cache({
      freshForMs: 100,
      clock,
      monotonicClock: clock,
      staleWhileRevalidateMs: 500,
      background: () => {
        throw new Error('there is no work')
      },
    })
    const store = memory({ clock })
    const [kv, other] = [keyValue(store, [c]), keyValue(store)]
    await kv.set('a', bytes('1'))
    await kv.get('a')
    await other.set('a', bytes('2'))
    clock.advance(100)
    expect(await answerOf(kv.getEntry('a'))).toEqual(['2', 'fresh'])
    expect(c.stats()).toMatchObject({ staleHits: 1, staleAnswers: 0, loads: 2 })
  })
})

describe('stale where the store fails', () => {
  test('the entry is the answer, marked and counted, until its time is over; then fresh again', async () => {
    const { store, kv, clock, c } = await aged({ staleIfErrorMs: 60_000 })
    for (let second = 1; second <= 59; second++) {
      clock.advance(1_000)
      const got = [kv.getEntry('a'), kv.getEntry('a')]
      await store.open(down())
      expect(await Promise.all(got.map(answerOf))).toEqual([
        ['1', 'stale'],
        ['1', 'stale'],
      ])
    }
    expect(c.stats()).toMatchObject({ staleAnswers: 118, failures: 59, joins: 59 })
    await put(store, 'a', '2')
    const recovered = kv.getEntry('a')
    await store.open()
    expect(await answerOf(recovered)).toEqual(['2', 'fresh'])
    clock.advance(60_100)
    const late = answerOf(kv.getEntry('a'))
    await store.open(down())
    expect(await late).toBe('UNAVAILABLE')
  })

  test.each(['ACCESS_DENIED', 'CORRUPT', 'NOT_PREPARED'] as const)('%s is told', async (code) => {
    const { store, kv, clock } = await aged({ staleIfErrorMs: 1_000 })
    clock.advance(100)
    const got = answerOf(kv.getEntry('a'))
    await store.open(new StoreError(code, 'no'))
    expect(await got).toBe(code)
  })

  test('a strong read fails', async () => {
    const { store, kv, clock } = await aged({ staleIfErrorMs: 1_000 })
    clock.advance(100)
    const got = answerOf(kv.getEntry('a', { consistency: 'strong' }))
    await store.open(down())
    expect(await got).toBe('UNAVAILABLE')
  })

  test('an entry that is written while its load fails is no answer', async () => {
    const { store, stack, kv, clock } = await aged({ staleIfErrorMs: 1_000 })
    clock.advance(100)
    const got = answerOf(kv.getEntry('a'))
    await turn()
    // Another KeyValue over the same cache: the same one would let the write wait for the read.
    await keyValue(stack).set('a', bytes('2'))
    await store.open(down())
    expect(await got).toBe('UNAVAILABLE')
  })

  test('in a batch each key has its own answer', async () => {
    const { store, kv, clock } = await aged({ staleIfErrorMs: 1_000 })
    clock.advance(100)
    const got = kv.getMany(['a', 'b']).catch((error: StoreError & { results?: unknown }) => error.results)
    await store.open(down())
    expect(await got).toMatchObject([{ meta: { stale: true } }, { code: 'UNAVAILABLE' }])
  })

  test('a reader’s own copy of it changes nobody else’s', async () => {
    const { store, kv, clock } = await aged({ staleIfErrorMs: 1_000, share: 'copy' })
    clock.advance(100)
    for (let n = 0; n < 2; n++) {
      const got = kv.get('a')
      await store.open(down())
      const value = (await got) as Buffer
      expect(textOf(value)).toBe('1')
      value[0] = 0
    }
  })

  test('a store that hangs is waited for until softTimeoutMs, and what it says later is kept', async () => {
    const { store, kv, clock, c } = await aged({ staleIfErrorMs: 1_000, softTimeoutMs: 20 })
    await put(store, 'a', '2')
    clock.advance(100)
    expect(await answerOf(kv.getEntry('a'))).toEqual(['1', 'stale'])
    await store.open()
    expect(await answerOf(kv.getEntry('a'))).toEqual(['2', 'fresh'])
    expect(c.stats()).toMatchObject({ staleAnswers: 1, loads: 2, hits: 1 })
  })

  test('an answer after softTimeoutMs is counted once, though the store fails later', async () => {
    const { store, kv, clock, c } = await aged({ staleIfErrorMs: 1_000, softTimeoutMs: 20 })
    clock.advance(100)
    expect(await answerOf(kv.getEntry('a'))).toEqual(['1', 'stale'])
    await store.open(down())
    expect(c.stats()).toMatchObject({ failures: 1, staleAnswers: 1 })
  })

  test('what there is no stale entry for is waited for', async () => {
    const { store, kv, clock } = await aged({ staleIfErrorMs: 1_000, softTimeoutMs: 5 })
    clock.advance(100)
    const got = kv.getMany(['a', 'b'])
    await new Promise((resolve) => setTimeout(resolve, 30))
    await store.open()
    expect((await got).map(textOf)).toEqual(['1', undefined])
  })
})

test.each<ObjectCacheOptions>([
  { staleWhileRevalidateMs: -1 },
  { staleIfErrorMs: Number.NaN },
  { softTimeoutMs: -5 },
  { background: 'later' as never },
])('%j is INVALID_CONFIG', (options) => {
  expect(() => cache(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})
