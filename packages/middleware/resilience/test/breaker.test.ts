import {
  type CallOptions,
  isStoreError,
  keyValue,
  type Mutation,
  type Page,
  type Read,
  type ScanRange,
  StoreError,
} from '@unikv/core'
import { attempt } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type ResilienceOptions, resilience } from '../src/index.ts'

type Way = 'answers' | 'fails' | 'fails plainly' | 'is silent' | 'hangs'

/** A store that answers by promise; `hangs`: whatever becomes of the call. */
function switched() {
  const inner = memory()
  const state = { way: 'answers' as Way, asked: 0, answer: undefined as (() => unknown) | undefined }
  const ask = async <T>(call: CallOptions, isWrite: boolean, work: () => T): Promise<T> => {
    state.asked++
    await Promise.resolve()
    if (state.way === 'fails') throw new StoreError('UNAVAILABLE', 'down')
    if (state.way === 'fails plainly') throw new Error('ECONNRESET')
    if (state.way === 'hangs') return new Promise<never>(() => {})
    if (state.way === 'is silent') return attempt(call, isWrite, () => new Promise<never>(() => {}))
    return (state.answer?.() ?? work()) as T
  }
  const store = {
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' as const, maxValueBytes: 100 },
    read: (reads: readonly Read[], call: CallOptions) =>
      ask(call, false, () => inner.read(reads, call) as never),
    write: (mutations: readonly Mutation<Uint8Array>[], call: CallOptions) =>
      ask(call, true, () => inner.write(mutations, call) as never),
    async *scan(range: ScanRange, call: CallOptions) {
      for (const page of inner.scan(range, call) as Iterable<Page<Uint8Array>>)
        yield await ask(call, false, () => page)
    },
  }
  return { store, state }
}

/** `openMs` passes when it is told to. */
function guarded(options: ResilienceOptions = {}) {
  let now = 0
  const { store, state } = switched()
  const guard = resilience({
    retry: false,
    breaker: { window: 5, openMs: 1_000 },
    monotonicClock: () => now,
    ...options,
  })
  const kv = keyValue(store, [guard], { coalesce: false })
  const stats = () => guard.stats()[0]!
  const opened = async (): Promise<void> => {
    state.way = 'fails'
    for (let i = 0; i < 5; i++) await code(kv.get('a'))
    expect(stats().breaker).toBe('open')
    now += 2_000
  }
  return { kv, state, stats, opened, guard }
}

const code = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) => (isStoreError(error) ? error.code : String(error)),
  )

const refused = (...args: ConstructorParameters<typeof StoreError>) => [new StoreError(...args)]

describe('a probe', () => {
  test.each([
    ['a value that is too long', (g: Guarded) => g.kv.set('a', new Uint8Array(101))],
    ['a value of no kind', (g: Guarded) => g.kv.set('a', 'text' as never)],
    ['a signal that comes at once', (g: Guarded) => abortedAtOnce(g)],
    ['what a layer below refuses', (g: Guarded) => answering(g, () => refused('UNSUPPORTED', ''))],
  ])('that proves nothing, by %s, leaves its place to the next call', async (_what, probe) => {
    const g = guarded()
    await g.opened()
    g.state.way = 'answers'
    expect(await code(probe(g))).not.toBe('answered')
    expect(g.stats().breaker).toBe('open')
    g.state.answer = undefined
    expect(await code(g.kv.get('a'))).toBe('answered')
    expect(g.stats().breaker).toBe('closed')
  })

  test.each([
    ['a deadline', () => ({ timeoutMs: 20 })],
    ['AbortSignal.timeout', () => ({ signal: AbortSignal.timeout(20) })],
    ['a signal of the application', () => ({ signal: abortedIn(20) })],
  ])('that %s ends fails, though the store never settles', async (_what, settings) => {
    for (const way of ['is silent', 'hangs'] as const) {
      const next: string[] = []
      // It does not count where the process was kept from running meanwhile.
      for (let i = 0; i < 10 && next.at(-1) !== 'UNAVAILABLE'; i++) {
        const g = guarded()
        await g.opened()
        g.state.way = way
        await code(g.kv.get('a', settings()))
        expect(g.stats().breaker).toBe('open')
        g.state.way = 'answers'
        next.push(await code(g.kv.get('a')))
      }
      expect(next.at(-1)).toBe('UNAVAILABLE')
    }
  })

  test.each(['CORRUPT', 'STORE_FULL', 'ACCESS_DENIED'] as const)(
    'that the store answers with %s closes the breaker',
    async (answer) => {
      const g = guarded()
      await g.opened()
      g.state.way = 'answers'
      expect(await code(answering(g, () => refused(answer, '')))).toBe(answer)
      expect(g.stats().breaker).toBe('closed')
    },
  )
})

describe('while a store is silent', () => {
  test.each([
    ['a deadline', () => ({ timeoutMs: 10 })],
    ['AbortSignal.timeout', () => ({ signal: AbortSignal.timeout(10) })],
    ['a signal of the application', () => ({ signal: abortedIn(10) })],
  ])('calls that %s ends open the breaker', async (_what, settings) => {
    for (const way of ['is silent', 'hangs'] as const) {
      const g = guarded()
      g.state.way = way
      for (let i = 0; i < 30; i++) await code(g.kv.get(`${i}`, settings()))
      expect(g.stats().breaker).toBe('open')
      // A few may not count, as the process was kept from running.
      expect(g.state.asked).toBeLessThan(20)
    }
  })

  test('pages that end so do, too', async () => {
    const g = guarded()
    await g.kv.set('a', Buffer.from('1'))
    g.state.way = 'is silent'
    for (let i = 0; i < 30; i++) await code(g.kv.count({ timeoutMs: 10 }))
    expect(g.stats().breaker).toBe('open')
    expect(g.state.asked).toBeLessThan(20)
  })
})

test('signals that come in the turn of their calls open nothing', async () => {
  const g = guarded()
  for (let i = 0; i < 30; i++) await code(abortedAtOnce(g))
  expect(g.stats().breaker).toBe('closed')
})

test('plain errors of a store are its failures', async () => {
  const g = guarded({ retry: { baseMs: 1, attempts: 2 } })
  g.state.way = 'fails plainly'
  expect(await g.kv.get('a').catch((error: unknown) => error)).toMatchObject({
    code: 'UNAVAILABLE',
    cause: new Error('ECONNRESET'),
  })
  expect([g.state.asked, g.stats().retries]).toEqual([2, 1])
  expect(await code(g.kv.set('a', Buffer.from('1')))).toBe('OUTCOME_UNKNOWN')
  expect(g.state.asked).toBe(3)
  await code(g.kv.get('a'))
  expect(g.stats().breaker).toBe('open')
})

describe('a listing', () => {
  test('fails at once while the breaker is open, and is not tried again', async () => {
    const g = guarded({ retry: { baseMs: 1 } })
    await g.opened()
    g.state.way = 'is silent'
    const probe = code(g.kv.get('a', { signal: abortedIn(200) }))
    const asked = g.state.asked
    const retries = g.stats().retries
    expect(await code(g.kv.count())).toBe('UNAVAILABLE')
    expect([g.state.asked, g.stats().retries]).toEqual([asked, retries])
    await probe
  })

  test('takes a place for each page, and none between pages', async () => {
    const g = guarded({ concurrency: { limit: 1, queue: 10 } })
    for (const key of ['a', 'b', 'c']) await g.kv.set(key, Buffer.from(key))
    const seen: string[] = []
    for await (const key of g.kv.keys({ pageSize: 1 })) {
      seen.push(key)
      // With a place held by the listing this would wait for ever.
      await g.kv.get(key)
    }
    expect(seen.toSorted()).toEqual(['a', 'b', 'c'])
    g.state.way = 'hangs'
    void g.kv.get('a', { timeoutMs: 50 }).catch(() => {})
    const asked = g.state.asked
    expect(await code(g.kv.count({ timeoutMs: 50 }))).toBe('TIMEOUT')
    expect(g.state.asked).toBe(asked)
  })

  test('of a store that lists at once obeys the breaker', async () => {
    const inner = memory()
    let fails = true
    const store = {
      ...inner,
      read: (...args: Parameters<typeof inner.read>) => {
        if (fails) throw new StoreError('UNAVAILABLE', 'down')
        return inner.read(...args)
      },
    }
    const guard = resilience({ retry: false, breaker: { window: 5, openMs: 60_000 } })
    const kv = keyValue(store, [guard])
    for (let i = 0; i < 5; i++) await code(kv.get('a'))
    fails = false
    expect(await code(kv.count())).toBe('UNAVAILABLE')
  })
})

test('closed stacks are forgotten', async () => {
  const guard = resilience()
  const open = keyValue(memory(), [guard])
  for (let i = 0; i < 100; i++) await keyValue(memory(), [guard]).close()
  expect(guard.stats()).toHaveLength(1)
  await open.close()
  expect(guard.stats()).toHaveLength(0)
})

type Guarded = ReturnType<typeof guarded>

function abortedAtOnce({ kv }: Guarded): Promise<unknown> {
  const controller = new AbortController()
  const answer = kv.get('a', { signal: controller.signal })
  controller.abort()
  return answer
}

function abortedIn(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms)
  return controller.signal
}

function answering(g: Guarded, answer: () => unknown): Promise<unknown> {
  g.state.answer = answer
  return g.kv.get('a')
}
