import { compose, json, passThrough, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { createCache, loaded, notModified } from '../src/index.ts'
import { gatedLoader } from './gated-loader.ts'
import { turn } from './gated-store.ts'

const never = (): never => {
  throw new Error('nothing was to be loaded')
}

describe('tags of an explicit cache', () => {
  test('come from the cache, the call, what is put, and the loader; any of them voids', async () => {
    const numbers = createCache<number>({ tags: (key, value) => [`key:${key}`, `value:${value}`] })
    const load = () => loaded(1, { tags: ['loader'] })
    for (const tag of ['key:a', 'value:1', 'call', 'loader']) {
      await numbers.cached('a', load, { tags: ['call'] })
      expect(numbers.peek('a')).toBe(1)
      await numbers.invalidateTags('another')
      expect(numbers.peek('a')).toBe(1)
      await numbers.invalidateTags(tag)
      expect(numbers.peek('a')).toBeUndefined()
    }
    await numbers.put('b', 2, { tags: ['put'] })
    await numbers.invalidateTags(new Set(['put']))
    expect(await numbers.get('b')).toBeUndefined()
  })

  test('stay with a value that the loader calls not modified', async () => {
    const numbers = createCache<number>({ freshForMs: 0 })
    const load = ({ ifNotVersion }: { readonly ifNotVersion: string | undefined }) =>
      ifNotVersion === 'v1'
        ? notModified({ freshForMs: Number.POSITIVE_INFINITY, tags: ['later'] })
        : loaded(1, { version: 'v1', tags: ['first'] })
    for (const tag of ['first', 'later']) {
      await numbers.cached('a', load)
      await numbers.cached('a', load)
      expect(numbers.peek('a')).toBe(1)
      await numbers.invalidateTags(tag)
      expect(numbers.peek('a')).toBeUndefined()
    }
  })

  test('that are invalidated tell a loader no version', async () => {
    const numbers = createCache<number>({ freshForMs: 0 })
    const { load, contexts, answer } = gatedLoader<number>()
    for (let i = 0; i < 2; i++) {
      const found = numbers.cached('a', load, { tags: ['x'] })
      await turn()
      await answer(loaded(1, { version: 'v1' }))
      await found
      await numbers.invalidateTags('x')
    }
    expect(contexts.map(({ ifNotVersion }) => ifNotVersion)).toEqual([undefined, undefined])
  })

  test('that are invalidated elsewhere while a key is loaded let it be joined and kept', async () => {
    const numbers = createCache<number>()
    const { load, contexts, answer } = gatedLoader<number>()
    const early = numbers.cached('a', load)
    await turn()
    await numbers.invalidateTags('y')
    const late = numbers.cached('a', load)
    await turn()
    await answer(loaded(1, { tags: ['x'] }))
    expect([await early, await late, numbers.peek('a'), contexts.length]).toEqual([1, 1, 1, 1])
  })

  test('of a renewal ahead or behind are those of its caller', async () => {
    let now = 0
    const numbers = createCache<number>({
      freshForMs: 10,
      staleWhileRevalidateMs: 100,
      background: () => {},
      monotonicClock: () => now,
    })
    const load = (value: number) => async () => value
    await numbers.cached('a', load(1), { tags: ['x'] })
    now = 20
    expect(await numbers.cached('a', load(2), { tags: ['x'] })).toBe(1)
    await turn()
    expect(numbers.peek('a')).toBe(2)
    await numbers.invalidateTags('x')
    expect(numbers.peek('a')).toBeUndefined()
    expect(await numbers.cached('a', load(3))).toBe(3)
  })

  test.each([['x'], [''], [1], null, Array(65).fill('x')].slice(1))('refuses %j', async (tags) => {
    const numbers = createCache<number>()
    const bad = { tags: Array.isArray(tags) ? tags : [tags] } as never
    const refused = { code: 'INVALID_ARGUMENT' }
    await expect(numbers.cached('a', never, bad)).rejects.toMatchObject(refused)
    await expect(numbers.put('a', 1, bad)).rejects.toMatchObject(refused)
    await expect(numbers.revalidate('a', never, bad)).rejects.toMatchObject(refused)
    expect(() => loaded(1, bad)).toThrow('tags')
    expect(() => notModified(bad)).toThrow('tags')
  })

  test('reach the second tier, for all processes, where they follow from the key', async () => {
    const store = memory()
    const below = { store, tags: (key: string) => [`key:${key}`, 'all'] }
    const [one, two] = [createCache<number>({ below }), createCache<number>({ below })]
    expect(await one.cached('a', () => 1)).toBe(1)
    expect(await two.get('a')).toBe(1)
    await two.invalidateTags('key:a')
    expect(two.peek('a')).toBeUndefined()
    expect(await two.get('a')).toBeUndefined()
    expect(await two.cached('a', () => 2)).toBe(2)
    await one.invalidateTags('other')
    expect(await one.get('a')).toBe(1)
    await one.invalidateTags('all')
    expect(await one.get('a')).toBeUndefined()
    expect(await one.cached('a', () => 3)).toBe(3)
    expect(two.stats().below).toMatchObject({ storeErrors: 0 })
  })

  test('leave what is put in this process, as they may be invalidated meanwhile', async () => {
    const below = { store: memory(), tags: () => ['all'] }
    const [one, two] = [createCache<number>({ below }), createCache<number>({ below })]
    await one.cached('a', () => 1)
    await one.put('a', 2)
    expect([one.peek('a'), await two.get('a')]).toEqual([2, undefined])
    const putting = one.put('a', 3)
    await one.invalidateTags('all')
    await putting
    expect(one.peek('a')).toBeUndefined()
  })

  test('that the second tier cannot be told of reject, and are void in this process', async () => {
    const store = compose(memory(), [
      passThrough('down', {
        wrap: () => ({
          write: () => {
            throw new StoreError('UNAVAILABLE', 'down')
          },
        }),
      }),
    ])
    const numbers = createCache<number>({ below: { store, tags: () => ['all'] } })
    await numbers.cached('a', () => 1)
    expect(numbers.peek('a')).toBe(1)
    await expect(numbers.invalidateTags('all')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(numbers.peek('a')).toBeUndefined()
  })

  test('of values, calls and loaders are refused with a second tier, whose readers cannot know them', async () => {
    const below = { store: memory(), codec: json() }
    expect(() => createCache({ below, tags: () => [] })).toThrow('below')
    const numbers = createCache<number>({ below })
    const refused = { code: 'INVALID_ARGUMENT' }
    await expect(numbers.cached('a', () => 1, { tags: ['x'] })).rejects.toMatchObject(refused)
    await expect(numbers.put('a', 1, { tags: ['x'] })).rejects.toMatchObject(refused)
    await expect(numbers.cached('b', () => loaded(1, { tags: ['x'] }))).rejects.toMatchObject(refused)
    await expect(numbers.invalidateTags('x')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    await numbers.close()
  })

  test('are refused by a closed cache', async () => {
    const numbers = createCache<number>()
    await numbers.close()
    await expect(numbers.invalidateTags('x')).rejects.toMatchObject({ code: 'CLOSED' })
  })
})
