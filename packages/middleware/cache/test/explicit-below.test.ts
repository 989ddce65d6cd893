import { testClock } from '@unikv/conformance'
import { codec, compose, json, keyValue, passThrough } from '@unikv/core'
import { derive } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { structured } from '@unikv/core/structured'
import { describe, expect, test } from 'vitest'
import { type BelowOptions, type CacheOptions, createCache, loaded, notModified } from '../src/index.ts'
import { gatedLoader } from './gated-loader.ts'
import { turn } from './gated-store.ts'
import { unreliable } from './store-cache-setting.ts'

interface User {
  readonly name: string
}

const never = (): never => {
  throw new Error('nothing was to be loaded')
}

/** Two processes with caches of their own over one store, all on one clock. */
function shared(options: CacheOptions<User> = {}, below: Partial<BelowOptions<User>> = {}) {
  const clock = testClock(1_000_000)
  const network = unreliable()
  const store = memory({ clock, name: 'remote' })
  const process = () =>
    createCache<User>({
      clock,
      monotonicClock: clock,
      ...options,
      below: { store: compose(store, [network.layer]), timeoutMs: 20, ...below },
    })
  return { clock, network, store, here: process(), there: process() }
}

const ada: User = { name: 'Ada' }
const ada2: User = { name: 'Ada Lovelace' }

describe('a second tier', () => {
  test('answers what another process has loaded, to get too, which brings it nearer', async () => {
    const { here, there } = shared()
    expect(await here.cached('ada', () => loaded({ ...ada }, { version: 'v1' }))).toEqual(ada)
    expect(await there.getEntry('ada')).toMatchObject({ value: ada, version: 'v1', meta: { tier: 'remote' } })
    expect(await there.getEntry('ada')).toMatchObject({ value: ada, version: 'v1', meta: { tier: 'memory' } })
    there.clear()
    expect(await there.cached('ada', never)).toEqual(ada)
    expect(there.peek('ada')).toEqual(ada)
    expect(await there.get('nobody')).toBeUndefined()
    expect(there.stats()).toMatchObject({ loads: 1, below: { tier: 'remote', hits: 2, loads: 0 } })
  })

  test.each(['invalidate', 'put'] as const)(
    'what get finds there while %s begins is not kept',
    async (change) => {
      const { here, there } = shared()
      await there.put('ada', ada)
      const looked = here.get('ada')
      const changed = change === 'put' ? here.put('ada', ada2) : here.invalidate('ada')
      await Promise.all([looked, changed])
      expect(here.peek('ada')).toEqual(change === 'put' ? ada2 : undefined)
    },
  )

  test('is not waited for by get while somebody loads', async () => {
    const { here } = shared()
    const { load, answer } = gatedLoader<User>()
    const loading = here.cached('ada', load)
    await turn()
    expect(await here.get('ada')).toBeUndefined()
    await answer({ ...ada })
    expect(await loading).toEqual(ada)
    expect(await here.get('ada')).toEqual(ada)
  })

  test('gives every reader what its codec reads, the first one too; what it refuses is INVALID_VALUE', async () => {
    const things = createCache<unknown>({ below: { store: memory() } })
    const mine = { a: 1, b: undefined }
    expect(await things.cached('a', () => mine)).toEqual({ a: 1 })
    expect(Object.isFrozen(mine)).toBe(false)
    for (const attempt of [things.cached('b', () => new Date()), things.put('b', new Date())])
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    const dates = createCache<Date>({ below: { store: memory(), codec: structured() } })
    await dates.put('a', new Date(5))
    dates.clear()
    expect(await dates.get('a')).toEqual(new Date(5))
  })

  test('what was put is what the codec reads, here too', async () => {
    const things = createCache<unknown>({ below: { store: memory() } })
    const mine = { n: 1, left: undefined, [Symbol('own')]: 2 }
    await things.put('a', mine)
    expect(things.peek('a')).toStrictEqual({ n: 1 })
    expect(Reflect.ownKeys(things.peek('a') as object)).toEqual(['n'])
    expect(mine).toHaveProperty('left')
  })

  test('a put that the codec refuses leaves what was there', async () => {
    const { here, there } = shared()
    await here.put('ada', ada)
    await expect(here.put('ada', new Map() as never)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    expect(await here.get('ada')).toEqual(ada)
    expect(await there.get('ada')).toEqual(ada)
  })

  test('a record that the codec cannot read is loaded anew', async () => {
    const store = memory()
    await createCache({ below: { store } }).put('ada', 'of an earlier release')
    const strict = codec<User>({
      name: 'strict',
      encode: (user) => Buffer.from(JSON.stringify({ user })),
      decode: (bytes) => {
        const { user } = JSON.parse(Buffer.from(bytes).toString()) as { user?: User }
        if (user === undefined) throw new Error('another form')
        return user
      },
    })
    const users = createCache<User>({ below: { store, codec: strict } })
    expect(await users.get('ada')).toBeUndefined()
    expect(await users.cached('ada', () => ada)).toEqual(ada)
    users.clear()
    expect(await users.cached('ada', never)).toEqual(ada)
  })

  test('is revalidated: the loader is told the version of the record, which is fresh again for all', async () => {
    const { clock, here, there } = shared({ freshForMs: 10 }, { freshForMs: 100 })
    await here.cached('ada', () => loaded({ ...ada }, { version: 'v1', expiresAt: 1_900_000 }))
    clock.advance(100)
    let told: unknown
    const value = await there.cached('ada', ({ ifNotVersion }) => {
      told = ifNotVersion
      return notModified()
    })
    expect([told, value]).toEqual(['v1', ada])
    expect(there.stats().below).toMatchObject({ revalidations: 1 })
    expect(await here.cachedEntry('ada', never)).toMatchObject({
      value: ada,
      version: 'v1',
      expiresAt: 1_900_000,
    })
  })

  test('revalidate asks although it is fresh, and renews both tiers', async () => {
    const { here, there } = shared()
    await here.put('ada', ada, { version: 'v1' })
    expect(
      await here.revalidate('ada', ({ ifNotVersion }) => (ifNotVersion === 'v1' ? notModified() : ada2)),
    ).toEqual(ada)
    expect(here.stats().below?.revalidations).toBe(1)
    expect(await here.revalidate('ada', () => loaded(ada2, { version: 'v2' }))).toEqual(ada2)
    expect(await there.getEntry('ada')).toMatchObject({ value: ada2, version: 'v2' })
  })

  test('keeps a record no longer than the loader said, nor than its own freshForMs', async () => {
    const { clock, here, there } = shared({ freshForMs: 1_000_000 }, { freshForMs: 100 })
    await here.cached('a', () => loaded(ada, { freshForMs: 10 }))
    await here.cached('b', () => ada, { freshForMs: 1_000 })
    await here.cached('c', () => undefined, { absentForMs: 10 })
    expect(await there.cached('c', never)).toBeUndefined()
    clock.advance(10)
    expect(await there.get('a')).toBeUndefined()
    expect(await there.get('b')).toEqual(ada)
    expect(await there.cached('c', () => ada)).toEqual(ada)
    there.clear()
    clock.advance(90)
    expect(await there.get('b')).toBeUndefined()
    expect(await here.get('b')).toEqual(ada)
  })
})

test('without a freshForMs of its own this process believes a second tier for as long as that is fresh', async () => {
  const { clock, here } = shared({}, { freshForMs: 100 })
  await here.put('ada', ada)
  clock.advance(99)
  expect(here.peek('ada')).toEqual(ada)
  clock.advance(1)
  expect(here.peek('ada')).toBeUndefined()
  const byDefault = createCache<User>({ clock, monotonicClock: clock, below: { store: memory() } })
  await byDefault.put('ada', ada)
  clock.advance(60_000)
  expect(byDefault.peek('ada')).toBeUndefined()
})

describe('changes, with a second tier', () => {
  test('put replaces the record, at once here, and for others when it resolves', async () => {
    const { here, there } = shared()
    await here.put('ada', ada)
    const done = here.put('ada', ada2, { version: 'v2', freshForMs: 1_000 })
    await turn()
    expect(here.peek('ada')).toEqual(ada2)
    await done
    expect(await there.getEntry('ada')).toMatchObject({ value: ada2, version: 'v2' })
  })

  test('of put and invalidate the last one begun holds, in both tiers', async () => {
    const { here, there } = shared()
    await Promise.all([here.put('ada', ada), here.invalidate('ada'), here.put('ada', ada2)])
    expect([here.peek('ada'), await there.get('ada')]).toEqual([ada2, ada2])
    there.clear()
    await Promise.all([here.put('ada', ada), here.put('ada', ada2), here.invalidate('ada')])
    expect([here.peek('ada'), await there.get('ada')]).toEqual([undefined, undefined])
    await Promise.all([
      here.invalidate('ada'),
      here.put('bob', ada),
      here.put('ada', ada2),
      here.put('bob', ada2),
    ])
    here.clear()
    expect([await here.get('ada'), await there.get('bob')]).toEqual([ada2, ada2])
  })

  test.each(['invalidate', 'put'] as const)(
    'a load that is under way at %s is kept in no tier',
    async (change) => {
      const { here, there } = shared()
      const { load, answer } = gatedLoader<User>()
      const early = here.cached('ada', load)
      await turn()
      await (change === 'put' ? here.put('ada', ada2) : here.invalidate('ada'))
      await answer({ ...ada })
      expect(await early).toEqual(ada)
      here.clear()
      const expected = change === 'put' ? ada2 : undefined
      expect([await here.get('ada'), await there.get('ada')]).toEqual([expected, expected])
    },
  )

  test('takes a codec that derives its calls', async () => {
    const derived: typeof json = () => {
      const made = json<User>()
      const wrap = (inner: Parameters<typeof made.plan.wrap>[0]) =>
        made.plan.wrap({
          ...inner,
          read: (reads, call) => inner.read(reads, derive(call, { sent: 'own' })),
          write: (mutations, call) => inner.write(mutations, derive(call, {})),
        })
      return { ...made, plan: { ...made.plan, wrap } } as never
    }
    const users = createCache<User>({ below: { store: memory(), codec: derived<User>() } })
    expect(await users.cached('ada', () => ada)).toEqual(ada)
    users.clear()
    expect(await users.cached('ada', never)).toEqual(ada)
    await users.put('ada', ada2)
    users.clear()
    expect(await users.cached('ada', never)).toEqual(ada2)
  })

  test('invalidateMany removes all records by one call', async () => {
    let calls = 0
    const counted = passThrough('counted', {
      wrap: (inner) => ({
        write: (mutations, call) => {
          calls++
          return inner.write(mutations, call)
        },
      }),
    })
    const store = memory()
    const users = createCache<User>({ below: { store: compose(store, [counted]) } })
    const keys = Array.from({ length: 100 }, (_, i) => `k${i}`)
    for (const key of keys) await users.put(key, ada)
    calls = 0
    await users.invalidateMany(keys)
    // When it begins, for other processes, and before it is acknowledged.
    expect(calls).toBe(2)
    expect(await keyValue(store).namespace('cache').count()).toBe(0)
  })

  test('clear leaves the records of the store', async () => {
    const { here } = shared()
    await here.put('ada', ada)
    here.clear()
    expect(here.peek('ada')).toBeUndefined()
    expect(await here.get('ada')).toEqual(ada)
  })
})

describe('a store that fails', () => {
  test.each(['down', 'silent'] as const)('%s: is passed by, and nothing fails by it', async (state) => {
    const { here, there, network } = shared()
    await here.put('ada', ada)
    network.state = state
    expect(await there.cached('ada', () => ada2)).toEqual(ada2)
    expect(await there.get('nobody')).toBeUndefined()
    await here.put('ada', ada2)
    expect(here.peek('ada')).toEqual(ada2)
    await here.invalidate('ada')
    expect(here.peek('ada')).toBeUndefined()
    expect(here.stats().below?.storeErrors).toBeGreaterThan(0)
    network.state = 'up'
    // The record could not be removed: it is not read here until it has been written again.
    expect(await here.get('ada')).toBeUndefined()
    expect(await here.cached('ada', () => ({ name: 'new' }))).toEqual({ name: 'new' })
  })

  test('close waits for what is under way, then closes it', async () => {
    let closed = 0
    const store = memory()
    const users = createCache<User>({
      below: { store: { ...store, close: async () => void closed++ }, namespace: 'users', codec: json() },
    })
    const { load, answer } = gatedLoader<User>()
    const under = users.cached('ada', load)
    const put = users.put('bob', ada)
    await turn()
    const closing = users.close()
    await turn()
    expect(closed).toBe(0)
    await answer({ ...ada })
    await Promise.all([under, put, closing])
    expect(closed).toBe(1)
    expect(await keyValue(store).namespace('users').count()).toBe(2)
  })
})
