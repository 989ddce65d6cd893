import { describe, expect, test } from 'vitest'
import { createCache, type Loader } from '../src/index.ts'
import { ada, never, type User } from './explicit-setting.ts'
import { gatedLoader } from './gated-loader.ts'
import { turn } from './gated-store.ts'

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
    { warm: {} } as object,
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
