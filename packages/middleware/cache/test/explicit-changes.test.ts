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
