import { describe, expect, test } from 'vitest'
import { createCache, loaded, notModified } from '../src/index.ts'
import { gatedLoader } from './gated-loader.ts'
import { turn } from './gated-store.ts'

const never = (): never => {
  throw new Error('nothing was to be loaded')
}

describe('invalidate', () => {
  test('forgets, at once', async () => {
    const numbers = createCache<number>()
    await numbers.put('a', 1)
    await numbers.put('b', 1)
    await numbers.put('c', 1)
    const done = numbers.invalidateMany(['a', 'b', 'a', 'nobody'])
    expect([numbers.peek('a'), numbers.peek('b'), numbers.peek('c')]).toEqual([undefined, undefined, 1])
    await done
    await numbers.invalidateMany([])
    await numbers.invalidate('c')
    expect(numbers.stats().entries).toBe(0)
  })

  test('lets a load that was under way be answered, but neither kept nor joined', async () => {
    const numbers = createCache<number>()
    const [before, after] = [gatedLoader<number>(), gatedLoader<number>()]
    const early = numbers.cached('a', before.load)
    await turn()
    await numbers.invalidate('a')
    const late = numbers.cached('a', after.load)
    await turn()
    await before.answer(1)
    expect(await early).toBe(1)
    expect(numbers.peek('a')).toBeUndefined()
    await after.answer(2)
    expect(await late).toBe(2)
    expect(numbers.peek('a')).toBe(2)
  })

  test('of an absent that is being loaded: that is not kept either', async () => {
    const numbers = createCache<number>({ absentForMs: 60_000 })
    const { load, answer } = gatedLoader<number>()
    const early = numbers.cached('a', load)
    await turn()
    await numbers.invalidate('a')
    await answer(undefined)
    expect(await early).toBeUndefined()
    expect(await numbers.cached('a', () => 2)).toBe(2)
  })

  test('inside a loader hangs nothing', async () => {
    const numbers = createCache<number>()
    const load = async (): Promise<number> => {
      await numbers.invalidate('a')
      await numbers.put('a', 5)
      return 1
    }
    expect(await numbers.cached('a', load)).toBe(1)
    expect(numbers.peek('a')).toBe(5)
  })
})

describe('put', () => {
  test('replaces what is kept, and is there at once', async () => {
    const numbers = createCache<number>()
    await numbers.cached('a', () => 1)
    const done = numbers.put('a', 2, { version: 'v2' })
    expect(numbers.peek('a')).toBe(2)
    await done
    expect(await numbers.getEntry('a')).toMatchObject({ value: 2, version: 'v2', expiresAt: undefined })
    expect(await numbers.cached('a', never)).toBe(2)
  })

  test('wins over a load that is under way, whose waiters get what they waited for', async () => {
    const numbers = createCache<number>()
    const { load, answer } = gatedLoader<number>()
    const waiting = numbers.cached('a', load)
    await turn()
    await numbers.put('a', 2)
    await answer(1)
    expect(await waiting).toBe(1)
    expect(numbers.peek('a')).toBe(2)
  })

  test('of several at once: the last one begun stays', async () => {
    const numbers = createCache<number>()
    await Promise.all([1, 2, 3].map((value) => numbers.put('a', value)))
    expect(numbers.peek('a')).toBe(3)
  })

  test('leaves the value to its owner: it is neither frozen nor kept itself', async () => {
    const mine = { tags: ['x'] }
    for (const share of ['freeze', 'copy'] as const) {
      const things = createCache<typeof mine>({ share })
      await things.put('a', mine)
      mine.tags.push('y')
      expect(await things.get('a')).toEqual({ tags: ['x'] })
      mine.tags.pop()
    }
    const same = createCache<typeof mine>({ share: 'reference' })
    await same.put('a', mine)
    expect(same.peek('a')).toBe(mine)
  })

  test('of what cannot be shared forgets what was kept', async () => {
    const things = createCache<unknown>()
    await things.put('a', 1)
    await things.put('a', { now: () => 1 })
    expect(things.peek('a')).toBeUndefined()
    expect(things.stats().refusals).toBe(1)
  })

  test('of undefined, or of what only a loader may answer, is refused; of null not', async () => {
    const things = createCache<unknown>()
    for (const value of [undefined, loaded(1), notModified()])
      await expect(things.put('a', value)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    await things.put('a', null)
    expect(things.peek('a')).toBeNull()
  })

  test('makes room by the policy, within maxEntries', async () => {
    const numbers = createCache<number>({ maxEntries: 10 })
    for (let n = 0; n < 1_000; n++) await numbers.put(`k${n}`, n)
    expect(numbers.stats()).toMatchObject({ entries: 10, evictions: 990 })
  })
})

test('clear forgets everything at once, and keeps nothing that is being loaded', async () => {
  const numbers = createCache<number>()
  await numbers.put('a', 1)
  const { load, answer } = gatedLoader<number>()
  const waiting = numbers.cached('b', load)
  await turn()
  numbers.clear()
  await answer(2)
  expect(await waiting).toBe(2)
  expect(numbers.stats().entries).toBe(0)
})
