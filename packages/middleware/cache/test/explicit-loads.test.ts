import { StoreError } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { createCache } from '../src/index.ts'
import { ada, never, type User } from './explicit-setting.ts'
import { gatedLoader } from './gated-loader.ts'
import { turn } from './gated-store.ts'

describe('what a loader brings', () => {
  test('is kept, and answered without asking again', async () => {
    const users = createCache<User>()
    expect(await users.cached('ada', () => ({ name: 'Ada' }))).toEqual(ada)
    expect(await users.cached('ada', never)).toEqual(ada)
    expect(await users.get('ada')).toEqual(ada)
    expect(users.peek('ada')).toEqual(ada)
    expect(users.stats()).toMatchObject({
      hits: 3,
      misses: 1,
      loads: 1,
      entries: 1,
      hitRate: 0.75,
      below: undefined,
    })
  })

  test('undefined is absent, and kept only with absentForMs; null is a value', async () => {
    const users = createCache<User | null>()
    let asked = 0
    const absent = (): undefined => void asked++
    for (let n = 0; n < 2; n++) expect(await users.cached('nobody', absent)).toBeUndefined()
    expect(asked).toBe(2)
    expect(await users.cached('gone', absent, { absentForMs: 60_000 })).toBeUndefined()
    expect(await users.cached('gone', never)).toBeUndefined()
    expect(await users.get('gone')).toBeUndefined()
    expect(await users.cached('null', () => null)).toBeNull()
    expect(await users.cached('null', never)).toBeNull()
    expect(users.peek('null')).toBeNull()
  })

  test('is waited for, be it a promise, a value at once, or what a driver takes for a promise', async () => {
    const users = createCache<User>()
    let asked = 0
    // As query builders are: they ask when they are waited for.
    const query = {
      // oxlint-disable-next-line no-thenable -- that is the matter
      then: (resolve: (user: User) => void) => {
        asked++
        resolve({ name: 'Query' })
      },
    } as unknown as Promise<User>
    expect(await users.cached('a', async () => ada)).toEqual(ada)
    expect(await users.cached('b', () => ada)).toEqual(ada)
    expect(await users.cached('c', () => query)).toEqual({ name: 'Query' })
    expect(asked).toBe(1)
  })

  test('that can be neither frozen nor copied goes to all who wait for it, and is not kept', async () => {
    class Session {
      readonly #secret = 1
      reveal = (): number => this.#secret
    }
    const sessions = createCache<Session>()
    let loads = 0
    const make = async (): Promise<Session> => {
      loads++
      await turn()
      return new Session()
    }
    const [a, b] = await Promise.all([sessions.cached('a', make), sessions.cached('a', make)])
    // A load for each of those who wait would be a herd.
    expect(loads).toBe(1)
    expect(b).toBe(a)
    expect(b.reveal()).toBe(1)
    expect(await sessions.get('a')).toBeUndefined()
    expect(sessions.stats().refusals).toBeGreaterThan(0)
  })
})

describe('one load for concurrent misses', () => {
  test('that fails tells each of 10,000 waiters the very error, keeps nothing, and the next caller tries again', async () => {
    const users = createCache<User>({ timeoutMs: 600_000 })
    const { load, contexts, answer, fail } = gatedLoader<User>()
    const error = new TypeError('of the driver')
    const waiters = Promise.allSettled(Array.from({ length: 10_000 }, () => users.cached('ada', load)))
    await turn()
    await fail(error)
    const told = (await waiters).map((one) => (one.status === 'rejected' ? one.reason : undefined))
    expect(told.every((one) => one === error)).toBe(true)
    expect(contexts).toHaveLength(1)
    expect(users.stats()).toMatchObject({ failures: 1, entries: 0 })
    const next = users.cached('ada', load)
    await turn()
    await answer(ada)
    expect(await next).toEqual(ada)
    expect(contexts).toHaveLength(2)
  })

  test.each<[string, unknown]>([
    ['a StoreError of another store', new StoreError('ACCESS_DENIED', 'no')],
    ['a string', 'down'],
    ['null', null],
    ['undefined', undefined],
  ])('passes %s as it is, thrown or rejected', async (_what, error) => {
    const users = createCache<User>({ staleIfErrorMs: 1_000 })
    const thrown = await users
      .cached('a', () => {
        throw error
      })
      .then(
        () => 'nothing',
        (told: unknown) => [told],
      )
    const rejected = await users
      .cached('a', () => Promise.reject(error as Error))
      .then(
        () => 'nothing',
        (told: unknown) => [told],
      )
    expect(thrown).toEqual([error])
    expect((thrown as unknown[])[0]).toBe(error)
    expect((rejected as unknown[])[0]).toBe(error)
  })

  test('is not hurt by the abort of a waiter, be it the first', async () => {
    const users = createCache<User>()
    const { load, contexts, answer } = gatedLoader<User>()
    const abort = new AbortController()
    const first = users.cached('ada', load, { signal: abort.signal })
    const second = users.cached('ada', load)
    await turn()
    abort.abort(new Error('gone'))
    await expect(first).rejects.toMatchObject({
      code: 'ABORTED',
      operation: 'cached',
      key: 'ada',
      cause: { message: 'gone' },
    })
    expect(contexts[0]?.signal.aborted).toBe(false)
    await answer(ada)
    expect(await second).toEqual(ada)
    expect(contexts).toHaveLength(1)
  })

  test('goes on for the others when a waiter’s timeoutMs is over', async () => {
    const users = createCache<User>()
    const { load, contexts, answer } = gatedLoader<User>()
    const patient = users.cached('ada', load, { timeoutMs: 60_000 })
    const hasty = users.cached('ada', load, { timeoutMs: 20 })
    await expect(hasty).rejects.toMatchObject({ name: 'StoreError', code: 'TIMEOUT', key: 'ada' })
    await answer(ada)
    expect(await patient).toEqual(ada)
    expect(contexts).toHaveLength(1)
  })

  test('is aborted when nobody waits for it any more; the next caller starts another', async () => {
    const users = createCache<User>()
    const { load, contexts, answer } = gatedLoader<User>()
    const aborts = Array.from({ length: 1_000 }, () => new AbortController())
    const gone = Promise.allSettled(aborts.map(({ signal }) => users.cached('ada', load, { signal })))
    await turn()
    const { signal } = contexts[0] as (typeof contexts)[number]
    for (const abort of aborts.slice(1)) abort.abort()
    expect(signal.aborted).toBe(false)
    aborts[0]?.abort()
    expect(signal.aborted).toBe(true)
    expect((await gone).every(({ status }) => status === 'rejected')).toBe(true)
    const next = users.cached('ada', load)
    await turn()
    expect(contexts).toHaveLength(2)
    await answer(ada)
    expect(await next).toEqual(ada)
  })

  test('that is renewed in the background is not aborted by who was answered already', async () => {
    let now = 0
    const users = createCache<User>({
      freshForMs: 10,
      staleWhileRevalidateMs: 100,
      background: () => {},
      monotonicClock: () => now,
    })
    const { load, contexts, answer } = gatedLoader<User>()
    await users.cached('ada', () => ada)
    now = 50
    const abort = new AbortController()
    expect(await users.cached('ada', load, { signal: abort.signal })).toEqual(ada)
    abort.abort()
    expect(contexts[0]?.signal.aborted).toBe(false)
    await answer({ name: 'Ada L.' })
    expect(await users.get('ada')).toEqual({ name: 'Ada L.' })
  })

  test('is not started for a signal that is aborted already', async () => {
    const users = createCache<User>()
    await users.put('ada', ada)
    const signal = AbortSignal.abort()
    await expect(users.cached('ada', never, { signal })).rejects.toMatchObject({ code: 'ABORTED' })
    await expect(users.cached('bob', never, { signal })).rejects.toMatchObject({ code: 'ABORTED' })
  })
})
