import { testClock } from '@unikv/conformance'
import { json } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type BulkContext, type CacheOptions, createCache, loaded, notModified } from '../src/index.ts'
import { turn } from './gated-store.ts'

/** Counts what it was asked for. */
function bulkLoader() {
  const asked: string[][] = []
  const load = async (keys: string[]) => {
    asked.push(keys)
    return new Map(keys.filter((key) => !key.startsWith('no')).map((key) => [key, key.length]))
  }
  return { asked, load }
}

function thrower(bad: string) {
  return (key: string) => {
    if (key === bad) throw new Error('bad')
    return 2
  }
}

const tiers: [string, () => CacheOptions<number>][] = [
  ['one tier', () => ({})],
  ['two tiers', () => ({ below: { store: memory(), namespace: 'n', codec: json<number>() } })],
]

describe.each(tiers)('cachedMany with %s', (_name, options) => {
  test('asks once for all that is not kept, and answers in the order of the keys without those that are absent', async () => {
    const lengths = createCache<number>(options())
    const { asked, load } = bulkLoader()
    await lengths.cached('bb', async () => 2)
    const found = await lengths.cachedMany(['ccc', 'a', 'bb', 'none', 'a'], load)
    expect(Array.from(found)).toEqual([
      ['ccc', 3],
      ['a', 1],
      ['bb', 2],
    ])
    expect(asked).toEqual([['ccc', 'a', 'none']])
    await lengths.cachedMany(['a', 'bb', 'ccc'], load)
    expect(asked).toHaveLength(1)
    expect(await lengths.cachedMany([], load)).toEqual(new Map())
  })

  test('waits for what others load, and others wait for what it loads', async () => {
    const lengths = createCache<number>(options())
    const { asked, load } = bulkLoader()
    const [one, two, three] = await Promise.all([
      lengths.cached('a', async () => 100),
      lengths.cachedMany(['a', 'bb'], load),
      lengths.cached('bb', async () => 200),
    ])
    expect([one, Array.from(two.values()), three]).toEqual([100, [100, 2], 2])
    expect(asked).toEqual([['bb']])
  })

  test.each([
    ['notModified() that nobody asked for', (key: string) => (key === 'a' ? notModified() : 2)],
    ['a Map that throws', thrower('a')],
    ['a value that cannot be kept', (key: string) => (key === 'a' ? loaded(1, { ttlMs: -1 }) : 2)],
  ])('%s spoils its key alone', async (_what, get) => {
    const lengths = createCache<number>(options())
    const many = lengths.cachedMany(['a', 'b', 'c'], async () => ({ get }) as never)
    const others = [lengths.cached('b', () => 3), lengths.cached('a', () => 3)] as const
    await expect(many).rejects.toThrow()
    expect(await others[0]).toBe(2)
    await expect(others[1]).rejects.toBe(await many.catch((error) => error))
    expect([lengths.peek('a'), lengths.peek('b'), lengths.peek('c')]).toEqual([undefined, 2, 2])
  })

  test('tells the error of the loader as it is, also where other keys were kept, and keeps nothing', async () => {
    const lengths = createCache<number>(options())
    const odd = new Error('down')
    await lengths.cached('a', async () => 1)
    const failed = lengths.cachedMany(['a', 'bb'], () => Promise.reject(odd))
    await expect(failed).rejects.toBe(odd)
    expect(await lengths.get('bb')).toBeUndefined()
  })

  test('aborts the loader when nobody waits any more', async () => {
    const lengths = createCache<number>(options())
    const contexts: BulkContext[] = []
    const stop = new AbortController()
    const hanging = lengths.cachedMany(
      ['a', 'bb'],
      (_keys, context) => {
        contexts.push(context)
        return new Promise(() => {})
      },
      { signal: stop.signal },
    )
    await turn()
    await turn()
    const { signal } = contexts[0] as BulkContext
    stop.abort()
    await expect(hanging).rejects.toMatchObject({ code: 'ABORTED' })
    expect(signal.aborted).toBe(true)
  })
})

test('a loader of several keys is told versions, and says of each how long it is fresh', async () => {
  const clock = testClock(1_000)
  const lengths = createCache<number>({ clock, monotonicClock: clock, freshForMs: 10 })
  await lengths.cachedMany(
    ['a', 'bb'],
    () =>
      new Map([
        ['a', loaded(1, { version: 'v1', freshForMs: 100, tags: ['t'] })],
        ['bb', loaded(2, { version: 'v2' })],
      ]),
  )
  clock.advance(10)
  const versions: unknown[] = []
  const found = await lengths.cachedMany(['a', 'bb'], (keys, context) => {
    versions.push(keys, Array.from(context.versions))
    return new Map([['bb', notModified()]])
  })
  expect(Array.from(found.values())).toEqual([1, 2])
  expect(versions).toEqual([['bb'], [['bb', 'v2']]])
  await lengths.invalidateTags('t')
  expect([lengths.peek('a'), lengths.peek('bb')]).toEqual([undefined, 2])
})

test.each([
  ['text', async () => new Map()],
  [[''], async () => new Map()],
  [['a'], 'no function'],
  [['a'], async () => [1]],
  [['a'], async () => undefined],
])('cachedMany(%j, …) of nonsense is refused', async (keys, load) => {
  const refused = createCache<number>().cachedMany(keys as string[], load as never)
  await expect(refused).rejects.toHaveProperty('code', expect.stringMatching(/^INVALID_(ARGUMENT|KEY)$/))
})

describe('what an attack found', () => {
  test('a joiner gives up with the others: then the loader is aborted', async () => {
    const lengths = createCache<number>()
    const contexts: BulkContext[] = []
    const stops = [new AbortController(), new AbortController()] as const
    const hanging = (_keys: string[], context: BulkContext) => {
      contexts.push(context)
      return new Promise<never>(() => {})
    }
    const waits = [
      lengths.cachedMany(['a', 'b'], hanging, { signal: stops[0].signal }),
      lengths.cached('b', () => 1, { signal: stops[1].signal }),
    ]
    await turn()
    const { signal } = contexts[0] as BulkContext
    for (const [i, stop] of stops.entries()) {
      stop.abort()
      await expect(waits[i]).rejects.toMatchObject({ code: 'ABORTED' })
    }
    expect(signal.aborted).toBe(true)
  })

  test('what the codec of the second tier refuses spoils its key alone', async () => {
    const kept = createCache<unknown>({ below: { store: memory(), namespace: 'n' } })
    const many = kept.cachedMany(
      ['a', 'b'],
      async () =>
        new Map<string, unknown>([
          ['a', () => 1],
          ['b', 2],
        ]),
    )
    const other = kept.cached('b', () => 3)
    await expect(many).rejects.toHaveProperty('code', 'INVALID_VALUE')
    expect(await other).toBe(2)
  })

  test('who joins a load in the second tier is told what its loader threw', async () => {
    const lengths = createCache<number>({ below: { store: memory(), namespace: 'n' } })
    const odd = new Error('down')
    let fail = (_error: Error): void => {}
    const ending = new Promise<number>((_, reject) => {
      fail = reject
    })
    const first = lengths.cached('b', () => ending)
    await turn()
    lengths.clear()
    const joined = lengths.cachedMany(['b', 'c'], async (keys) => new Map(keys.map((key) => [key, 1])))
    await turn()
    fail(odd)
    await expect(first).rejects.toBe(odd)
    await expect(joined).rejects.toBe(odd)
    expect(lengths.peek('c')).toBe(1)
  })

  test('staleOn is asked about what the loader threw, also where the second tier answered a part', async () => {
    const odd = new Error('down')
    const told: unknown[] = []
    const lengths = createCache<number>({
      staleIfErrorMs: 10_000,
      staleOn: (error) => told.push(error) > 9,
      below: { store: memory(), namespace: 'n' },
    })
    await lengths.cached('z', async () => 1)
    await lengths.expire('z')
    await lengths.put('a', 1)
    lengths.clear()
    await expect(lengths.cachedMany(['a', 'z'], () => Promise.reject(odd))).rejects.toBe(odd)
    for (const error of told) expect(error).toBe(odd)
  })

  test('after expire nothing stands in that is older than what a reader was told, cleared or written', async () => {
    const failing = () => Promise.reject(new Error('down'))
    for (const what of ['load', 'clear', 'put'] as const) {
      const kept = createCache<string>({
        freshForMs: 0,
        staleIfErrorMs: 10_000,
        below: { store: memory(), namespace: 'n', freshForMs: 10_000 },
      })
      await kept.cached('a', async () => 'old')
      const loading = what === 'load' ? kept.cached('a', async () => 'new') : undefined
      const expired = kept.expire('a')
      if (what === 'clear') kept.clear()
      await loading
      await expired
      if (what === 'put') {
        await kept.put('a', 'new')
        await kept.expire('a')
      }
      const answer = await kept.cached('a', failing).catch(() => 'error')
      expect(`${what}: ${answer}`).toBe(`${what}: ${what === 'put' ? 'new' : 'error'}`)
    }
  })
})
