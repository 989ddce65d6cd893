import { StoreError } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { createCache, type Loader } from '../src/index.ts'
import { gatedLoader } from './gated-loader.ts'
import { turn } from './gated-store.ts'

interface User {
  readonly name: string
}

const ada: User = { name: 'Ada' }
const never = (): never => {
  throw new Error('nothing was to be loaded')
}

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

  test('is frozen, the starter’s too; with copy each reader has his own; with reference it is the very same', async () => {
    const loadedUser = { name: 'Ada', tags: ['x'] }
    const frozen = createCache<typeof loadedUser>()
    const [first, second] = await Promise.all([
      frozen.cached('a', async () => loadedUser),
      frozen.cached('a', never),
    ])
    expect(first).toBe(loadedUser)
    expect(second).toBe(loadedUser)
    expect(() => loadedUser.tags.push('y')).toThrow(TypeError)

    const original = { name: 'Ada', tags: ['x'] }
    const copies = createCache<typeof original>({ share: 'copy' })
    await copies.cached('a', () => original)
    original.tags.push('y')
    const got = await copies.cached('a', never)
    expect(got).toEqual({ name: 'Ada', tags: ['x'] })
    got.tags.push('z')
    expect(await copies.get('a')).toEqual({ name: 'Ada', tags: ['x'] })

    const same = createCache<typeof original>({ share: 'reference' })
    await same.cached('a', () => original)
    expect(await same.get('a')).toBe(original)
  })

  test('that can be neither frozen nor copied goes to who loaded it alone, and is not kept', async () => {
    class Session {
      readonly #secret = 1
      reveal = (): number => this.#secret
    }
    const sessions = createCache<Session>()
    const make = async (): Promise<Session> => new Session()
    const [a, b] = await Promise.all([sessions.cached('a', make), sessions.cached('a', make)])
    expect(a).not.toBe(b)
    expect(b.reveal()).toBe(1)
    expect(await sessions.get('a')).toBeUndefined()
    expect(sessions.stats().refusals).toBeGreaterThan(0)
  })
})

describe('one load for concurrent misses', () => {
  test('serves 10,000 waiters', async () => {
    const users = createCache<User>()
    const { load, contexts, answer } = gatedLoader<User>()
    const waiters = Array.from({ length: 10_000 }, () => users.cached('ada', load))
    await turn()
    await answer({ name: 'Ada' })
    expect(new Set(await Promise.all(waiters)).size).toBe(1)
    expect(contexts).toHaveLength(1)
    expect(users.stats()).toMatchObject({ loads: 1, misses: 1, joins: 9_999 })
  })

  test('that fails tells each of 10,000 waiters the very error, keeps nothing, and the next caller tries again', async () => {
    const users = createCache<User>()
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

describe('a wrapped function', () => {
  test('is asked once for the same key, and passes its errors', async () => {
    const asked: unknown[] = []
    const users = createCache<User>()
    const find = users.wrap(
      async (tenant: string, id: number) => {
        asked.push([tenant, id])
        if (id < 0) throw new RangeError('no such user')
        return { name: `${tenant} ${id}` }
      },
      { key: (tenant, id) => `${tenant}/${id}`, freshForMs: 60_000 },
    )
    const [a, b] = await Promise.all([find('x', 1), find('x', 1)])
    expect([a.name, b.name, (await find('x', 1)).name]).toEqual(['x 1', 'x 1', 'x 1'])
    expect((await find('x', 2)).name).toBe('x 2')
    expect(asked).toEqual([
      ['x', 1],
      ['x', 2],
    ])
    await expect(find('x', -1)).rejects.toBeInstanceOf(RangeError)
    expect(await users.get('x/1')).toEqual({ name: 'x 1' })
    await users.invalidate('x/1')
    await find('x', 1)
    expect(asked).toHaveLength(4)
  })

  test('rejects where its key function throws', async () => {
    const find = createCache<User>().wrap(async () => ada, {
      key: () => {
        throw new Error('no key')
      },
    })
    await expect(find()).rejects.toThrow('no key')
  })
})

describe('what is refused', () => {
  const calls: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    cached: (key) => createCache<User>().cached(key, () => ada),
    cachedEntry: (key) => createCache<User>().cachedEntry(key, () => ada),
    get: (key) => createCache<User>().get(key),
    getEntry: (key) => createCache<User>().getEntry(key),
    peek: async (key) => createCache<User>().peek(key),
    put: (key) => createCache<User>().put(key, ada),
    invalidate: (key) => createCache<User>().invalidate(key),
    invalidateMany: (key) => createCache<User>().invalidateMany(['a', key]),
    revalidate: (key) => createCache<User>().revalidate(key, () => ada),
  }

  test.each(Object.entries(calls))('%s: a key that is none', async (_name, call) => {
    for (const key of ['', 'a\ud800', 7, undefined])
      await expect(call(key as string)).rejects.toMatchObject({ code: 'INVALID_KEY' })
    await expect(call('k'.repeat(65_537))).rejects.toMatchObject({ code: 'KEY_TOO_LONG' })
  })

  test.each([
    ['a word of JavaScript', '__proto__'],
    ['control characters', 'a\u0000b'],
    ['what namespaces begin with', '\u0001x'],
    ['a surrogate pair', '\u{1f600}'],
    ['65,536 bytes', 'k'.repeat(65_536)],
  ])('no key that is one: %s', async (_what, key) => {
    const users = createCache<User>()
    await users.put(key, ada)
    expect(await users.get(key)).toEqual(ada)
    expect(await users.cached(`${Array.from(key).slice(1).join('')}?`, () => ({ name: 'other' }))).toEqual({
      name: 'other',
    })
    await users.invalidate(key)
    expect(await users.get(key)).toBeUndefined()
  })

  test.each([{ freshForMs: -1 }, { absentForMs: Number.NaN }, { timeoutMs: 0 }])(
    '%j of a call',
    async (options) => {
      const users = createCache<User>()
      for (const key of ['new', 'new'])
        await expect(users.cached(key, () => ada, options)).rejects.toMatchObject({
          code: 'INVALID_ARGUMENT',
        })
      await users.put('kept', ada)
      await expect(users.cached('kept', () => ada, options)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    },
  )

  test('a loader that is no function', async () => {
    const load = 'SELECT 1' as unknown as Loader<User>
    await expect(createCache<User>().cached('a', load)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  test.each([
    { timeoutMs: 0 },
    { graceMs: -1 },
    { staleOn: 'always' as never },
    { maxEntries: 0 },
    { freshForMs: -1 },
  ])('%j of a cache', (options) => {
    expect(() => createCache(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })
})

describe('close', () => {
  test('refuses new calls, waits for those under way, and twice is fine', async () => {
    const users = createCache<User>()
    const { load, answer } = gatedLoader<User>()
    const under = users.cached('ada', load)
    await turn()
    const closing = users.close()
    await expect(users.cached('bob', never)).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(users.put('bob', ada)).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(users.invalidate('bob')).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(users.get('bob')).rejects.toMatchObject({ code: 'CLOSED' })
    await answer(ada)
    expect(await under).toEqual(ada)
    await closing
    await users.close()
    await users[Symbol.asyncDispose]()
    expect(users.stats().entries).toBe(0)
  })

  test('ends what takes longer than graceMs with CLOSED, and aborts its load', async () => {
    const users = createCache<User>({ graceMs: 10 })
    const { load, contexts, answer } = gatedLoader<User>()
    const under = users.cached('ada', load)
    await turn()
    const { signal } = contexts[0] as (typeof contexts)[number]
    const ended = expect(under).rejects.toMatchObject({ code: 'CLOSED', operation: 'cached' })
    await users.close()
    await ended
    expect(signal.aborted).toBe(true)
    await answer(ada)
    expect(users.stats().entries).toBe(0)
  })
})
