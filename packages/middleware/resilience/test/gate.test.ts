import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError, keyValue } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { Breaker } from '../src/breaker.ts'
import { type ResilienceEvent, type ResilienceOptions, resilience } from '../src/index.ts'
import { Places } from '../src/places.ts'
import { type Fate, flakyStore } from './flaky-store.ts'

const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (isStoreError(error) ? error.code : String(error)),
  )

describe('the breaker', () => {
  const machine = (random = () => 0.5) => {
    let now = 0
    const states: string[] = []
    const breaker = new Breaker(
      { failureShare: 0.5, window: 4, openMs: 1_000 },
      { now: () => now, random },
      (state) => states.push(state),
    )
    const call = (failed: boolean): boolean => {
      const pass = breaker.enter()
      if (pass !== undefined) breaker.leave(pass, failed ? 'fails' : 'works')
      return pass !== undefined
    }
    return { breaker, states, call, advance: (ms: number) => (now += ms) }
  }

  test('opens when half of the last calls failed, not before there were as many', () => {
    const { call, breaker } = machine()
    for (const failed of [true, true, false]) call(failed)
    expect(breaker.state).toBe('closed')
    call(false)
    expect(breaker.state).toBe('closed')
    call(true)
    expect(breaker.state).toBe('open')
    expect(call(false)).toBe(false)
  })

  test('forgets what is long ago', () => {
    const { call, breaker } = machine()
    for (const failed of [true, false, false, false, false, false, false, true, false, false]) call(failed)
    expect(breaker.state).toBe('closed')
  })

  test('lets exactly one call try, and closes when that succeeds', () => {
    const { breaker, states, call, advance } = machine()
    for (let i = 0; i < 4; i++) call(true)
    advance(999)
    expect(call(false)).toBe(false)
    advance(2)
    const probe = breaker.enter()
    expect(probe).toEqual({ isProbe: true })
    expect(breaker.enter()).toBeUndefined()
    breaker.leave(probe!, 'works')
    expect(call(true)).toBe(true)
    expect(states).toEqual(['open', 'half-open', 'closed'])
  })

  test('opens again when it fails', () => {
    const { breaker, call, advance } = machine()
    for (let i = 0; i < 4; i++) call(true)
    advance(1_001)
    expect(call(true)).toBe(true)
    expect(breaker.state).toBe('open')
    expect(call(false)).toBe(false)
    advance(1_001)
    expect(call(false)).toBe(true)
    expect(breaker.state).toBe('closed')
  })

  test('does not stay half-open when the probe never ends', () => {
    const { breaker, call, advance } = machine()
    for (let i = 0; i < 4; i++) call(true)
    advance(1_001)
    const lost = breaker.enter()
    expect(lost).toBeDefined()
    advance(59_000)
    expect(call(false)).toBe(false)
    // A machine that stood still meanwhile makes it later.
    advance(1e9)
    expect(call(false)).toBe(false)
    advance(1_001)
    expect(call(false)).toBe(true)
    breaker.leave(lost!, 'fails')
    expect(breaker.state).toBe('closed')
  })

  test('waits a tenth more or less', () => {
    for (const [value, opensAfter] of [
      [0, 900],
      [0.999_999, 1_100],
    ] as const) {
      const { call, advance } = machine(() => value)
      for (let i = 0; i < 4; i++) call(true)
      advance(opensAfter - 1)
      expect(call(false)).toBe(false)
      advance(2)
      expect(call(false)).toBe(true)
    }
  })
})

function guarded(fates: Fate[], options: ResilienceOptions) {
  const store = flakyStore(fates)
  const events: ResilienceEvent[] = []
  const layer = resilience({ retry: false, ...options, onEvent: (event) => void events.push(event) })
  return {
    store,
    events,
    layer,
    kv: keyValue(store, [layer], { coalesce: false }),
    stats: () => layer.stats()[0]!,
  }
}

test('while the breaker is open nothing is asked, and refusals of conditions do not open it', async () => {
  const { kv, store, stats, events } = guarded([], { breaker: { window: 5, openMs: 60_000 } })
  const conditional = kv as unknown as {
    set(key: string, value: Uint8Array, o: { ifVersion: null }): Promise<unknown>
  }
  await kv.set('a', Buffer.from('1'))
  for (let i = 0; i < 20; i++)
    expect(await codeOf(conditional.set('a', Buffer.from('2'), { ifVersion: null }))).toBe('CONDITION_FAILED')
  expect(stats().breaker).toBe('closed')
  store.fates.push(...Array<Fate>(3).fill('refused'))
  for (let i = 0; i < 3; i++) await codeOf(kv.get('a'))
  const before = store.asked.length
  const error = await kv.get('a').catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    code: 'UNAVAILABLE',
    retryable: true,
    message: expect.stringContaining('no calls go to it'),
  })
  expect(store.asked.length).toBe(before)
  expect(stats()).toMatchObject({ breaker: 'open', refusedByBreaker: 1 })
  expect(events).toContainEqual({ type: 'breaker', state: 'open' })
})

describe('concurrency', () => {
  test('is bounded, first come, first served, and more are OVERLOADED at once', async () => {
    const { kv, store, stats } = guarded(Array<Fate>(4).fill({ afterMs: 400 }), {
      concurrency: { limit: 2, queue: 2 },
    })
    const calls = ['a', 'b', 'c', 'd'].map((key) => kv.get(key))
    expect(stats()).toMatchObject({ underWay: 2, queued: 2 })
    expect(await codeOf(kv.get('e'))).toBe('OVERLOADED')
    expect(store.asked).toHaveLength(2)
    await Promise.all(calls)
    expect(store.asked.map(({ keys }) => keys[0])).toEqual(['a', 'b', 'c', 'd'])
    expect(stats()).toMatchObject({ underWay: 0, queued: 0, refusedByConcurrency: 1 })
  })

  test('gives the place of a waiting call that ended to the next, and none is lost', async () => {
    const { kv, store, stats } = guarded([{ afterMs: 1_500 }], { concurrency: { limit: 1, queue: 2 } })
    const first = kv.get('a')
    expect(
      await Promise.all([
        codeOf(kv.set('b', Buffer.from('b'), { timeoutMs: 20 })),
        codeOf(kv.get('c', { timeoutMs: 20 })),
      ]),
    ).toEqual(['TIMEOUT', 'TIMEOUT'])
    const last = kv.get('d')
    await Promise.all([first, last])
    expect(store.asked.map(({ keys }) => keys[0])).toEqual(['a', 'd'])
    expect(stats()).toMatchObject({ underWay: 0, queued: 0 })
  })

  test('leaves a place for the probe of an open breaker when calls that hang hold all others', async () => {
    const { kv, store, stats } = guarded(Array<Fate>(2).fill('silent'), {
      concurrency: { limit: 2, queue: 2 },
      breaker: { window: 2, openMs: 1 },
    })
    const silent = ['a', 'b'].map((key) => codeOf(kv.get(key, { timeoutMs: 20 })))
    expect(await Promise.all(silent)).toEqual(['TIMEOUT', 'TIMEOUT'])
    await expect.poll(() => codeOf(kv.get('c')), { timeout: 10_000 }).toBeUndefined()
    expect(store.asked).toHaveLength(3)
    expect(stats().breaker).toBe('closed')
  })

  test('counts only calls that still wait, and refuses one more than the queue takes', async () => {
    const places = new Places({ limit: 1, queue: 2 })
    places.take()
    const call = callOptions()
    for (let i = 0; i < 2; i++) void places.wait(call)
    expect(await codeOf(places.wait(callOptions()))).toBe('OVERLOADED')
    expect(places.queued).toBe(2)
    call.settled = true
    expect(places.queued).toBe(0)
  })

  test('ends the wait of a call that is over when it leaves the queue', async () => {
    for (const leave of [
      (places: Places) => places.leave(),
      (places: Places) => void codeOf(places.wait(callOptions())),
    ]) {
      const places = new Places({ limit: 1, queue: 1 })
      places.take()
      const call = callOptions()
      const waits = codeOf(places.wait(call))
      call.settled = true
      leave(places)
      expect(await waits).toBe('TIMEOUT')
    }
  })

  test('has nobody to tell where a call was over before it waited', async () => {
    const places = new Places({ limit: 1, queue: 1 })
    places.take()
    const call = callOptions()
    call.settled = true
    expect(await codeOf(places.wait(call))).toBe('TIMEOUT')
    // An unhandled rejection would fail this file.
    places.leave()
    expect(places.isFree).toBe(true)
  })

  test('survives any mixture of deadlines, aborts and failures', async () => {
    const { kv, store, stats } = guarded([], { concurrency: { limit: 3, queue: 50 }, breaker: false })
    for (let i = 0; i < 300; i++) store.fates.push(i % 3 === 0 ? 'refused' : { afterMs: i % 7 })
    const calls = Array.from({ length: 300 }, async (_, i) => {
      await pause(i % 40)
      const signal = i % 5 === 0 ? AbortSignal.timeout(1 + (i % 9)) : undefined
      return codeOf(kv.get(`${i}`, { timeoutMs: 5 + (i % 60), ...(signal && { signal }) }))
    })
    await Promise.all(calls)
    // Requests whose callers have left hold their places until they are answered.
    await expect.poll(stats, { timeout: 10_000 }).toMatchObject({ underWay: 0, queued: 0 })
    store.fates.length = 0
    expect(await kv.get('after')).toBeUndefined()
  })
})

describe('hedged reads', () => {
  test('ask a second time after the delay; the first good answer wins', async () => {
    const { kv, store, stats } = guarded([{ afterMs: 5_000 }, 'answered'], {
      hedge: { afterMs: 20, budget: 1 },
    })
    const startedAt = performance.now()
    expect(await kv.get('a')).toBeUndefined()
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    expect(stats()).toMatchObject({ hedges: 1, hedgesWon: 1 })
    expect(store.asked[0]?.call.signal?.aborted).toBe(true)
    expect(store.asked[1]?.call.signal?.aborted).toBe(false)
  })

  test('do not ask twice what answers in time', async () => {
    const { kv, store } = guarded([{ afterMs: 1 }], { hedge: { afterMs: 200, budget: 1 } })
    await kv.get('a')
    await pause(250)
    expect(store.asked).toHaveLength(1)
  })

  test('wait for the other one when one fails', async () => {
    const { kv } = guarded([{ afterMs: 80 }, 'refused'], { hedge: { afterMs: 20, budget: 1 } })
    expect(await codeOf(kv.get('a'))).toBeUndefined()
  })

  test('stay within their budget', async () => {
    const { kv, store, stats } = guarded(Array<Fate>(200).fill({ afterMs: 4 }), {
      hedge: { afterMs: 1, budget: 0.1 },
    })
    for (let i = 0; i < 60; i++) await kv.get('a')
    expect(stats().hedges).toBeLessThanOrEqual(7)
    expect(store.asked.length).toBe(60 + stats().hedges)
  })

  test('learn how long reads take', async () => {
    const { kv, stats, store } = guarded([], { hedge: { afterMs: 'p95', budget: 1 } })
    for (let i = 0; i < 64; i++) await kv.get('a')
    store.fates.push({ afterMs: 5_000 })
    const startedAt = performance.now()
    await kv.get('a')
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    expect(stats().hedges).toBeGreaterThan(0)
  })

  test('are reads alone', async () => {
    const { kv, store } = guarded([{ afterMs: 60 }], { hedge: { afterMs: 5, budget: 1 } })
    await kv.set('a', Buffer.from('1'))
    expect(store.asked).toHaveLength(1)
  })
})

test.each<[ResilienceOptions, string]>([
  [{ retry: { attempts: 0 } }, 'retry.attempts'],
  [{ retry: { budget: 2 } }, 'retry.budget'],
  [{ retry: { lateDuplicates: 'perhaps' as 'allowed' } }, 'lateDuplicates'],
  [{ breaker: { window: 0 } }, 'breaker.window'],
  [{ breaker: { failureShare: -1 } }, 'breaker.failureShare'],
  [{ concurrency: { limit: 0 } }, 'concurrency.limit'],
  [{ hedge: { afterMs: 0 } }, 'hedge.afterMs'],
])('%j is refused', (options, named) => {
  expect(() => resilience(options)).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(named) }),
  )
})
