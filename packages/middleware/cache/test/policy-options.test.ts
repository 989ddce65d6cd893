import { isStoreError, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test, vi } from 'vitest'
import { type Bounds, cache, type ObjectCacheOptions, type Policy, type Resident } from '../src/index.ts'
import { turn } from './gated-store.ts'

const bytes = (length: number): Buffer => Buffer.alloc(length, 'x')

test.each([
  [{ policy: 'fifo' }, /policy must be .*lru, sieve, s3-fifo, w-tinylfu, gdsf/],
  [{ policy: 'toString' }, /policy must be/],
  [{ policy: 7 }, /policy must be/],
  [{ cost: 'money' }, /`cost` of cache\(\) must be/],
])('%j is INVALID_CONFIG', (options, message) => {
  let thrown: unknown
  try {
    cache(options as ObjectCacheOptions)
  } catch (error) {
    thrown = error
  }
  expect(isStoreError(thrown) && thrown.code).toBe('INVALID_CONFIG')
  expect((thrown as Error).message).toMatch(message)
})

test('a policy of one’s own decides, from what it is told', async () => {
  const told: string[] = []
  const present: Resident[] = []
  const youngest = ({ maxEntries, maxBytes }: Bounds): Policy => {
    told.push(`bounds ${maxEntries} ${maxBytes}`)
    return {
      add: (one) => void present.push(one),
      use: ({ key }) => void told.push(`use ${key}`),
      remove: (one) => {
        told.push(`remove ${one.key}`)
        present.splice(present.indexOf(one), 1)
      },
      victim: () => present.at(-1) as Resident,
    }
  }
  const c = cache({ maxEntries: 2, maxBytes: 10_000, policy: youngest })
  const kv = keyValue(memory(), [c])
  for (const key of ['a', 'b', 'c']) await kv.set(key, bytes(1))
  for (const key of ['a', 'b', 'a', 'c']) await kv.get(key)
  expect(told).toEqual(['bounds 2 10000', 'use a', 'remove b'])
  expect(present.map(({ key }) => key)).toEqual(['a', 'c'])
})

/** Which of the keys are still there after all were read, in a cache with room for one less, by their hits. */
async function kept(
  options: ObjectCacheOptions,
  sizes: Readonly<Record<string, number>>,
  loadMs: (key: string) => number,
) {
  let now = 0
  const slow = passThrough('slow', {
    wrap: (inner) => ({
      read: (reads, call) => {
        for (const { key } of reads) now += loadMs(key)
        return inner.read(reads, call)
      },
      write: (mutations, call) => inner.write(mutations, call),
      scan: (range, call) => inner.scan(range, call),
      close: () => inner.close(),
    }),
  })
  const c = cache({ ...options, policy: 'gdsf', monotonicClock: () => now })
  const kv = keyValue(memory(), [c, slow])
  for (const [key, length] of Object.entries(sizes)) {
    await kv.set(key, bytes(length))
    await kv.get(key)
  }
  const found: string[] = []
  for (const key of Object.keys(sizes)) {
    const { hits } = c.stats()
    await kv.has(key)
    if (c.stats().hits > hits) found.push(key)
  }
  return found
}

const alike = { fast: 1_000, slow: 1_000, last: 1_000 }
const loadMs = (key: string): number => (key === 'slow' ? 500 : key === 'fast' ? 1 : 20)

test('gdsf keeps what is small, or what took longest to load', async () => {
  const sizes = { large: 5_000, small: 100, last: 100 }
  expect(await kept({ maxEntries: 2 }, sizes, () => 1)).toEqual(['small', 'last'])
  expect(await kept({ maxEntries: 2, cost: 'loadTime' }, alike, loadMs)).toEqual(['slow', 'last'])
  expect(
    await kept({ maxEntries: 2, cost: 'loadTime' }, { slow: 1_000, fast: 1_000, last: 1_000 }, loadMs),
  ).toEqual(['slow', 'last'])
})

test('a policy that names a stranger is told of in a warning, and somebody makes room all the same', async () => {
  const stranger: Resident = {
    key: 'a',
    bytes: 1,
    cost: 1,
    newer: undefined,
    older: undefined,
    uses: 0,
    place: 0,
    rank: 0,
  }
  const wrong = (): Policy => ({ add: () => {}, use: () => {}, remove: () => {}, victim: () => stranger })
  const warnings: unknown[] = []
  const note = ({ code }: Error & { readonly code?: string }): void => void warnings.push(code)
  process.on('warning', note)
  const c = cache({ maxEntries: 2, policy: wrong })
  const kv = keyValue(memory(), [c])
  for (const key of ['a', 'b', 'c', 'd']) {
    await kv.set(key, bytes(1))
    expect(await kv.get(key)).toHaveLength(1)
  }
  expect(c.stats()).toMatchObject({ entries: 2, evictions: 2 })
  await turn()
  process.off('warning', note)
  expect(warnings).toEqual(['UNIKV_POLICY'])
})

test('a policy that cannot be made anew goes on, and the store is closed', async () => {
  const here = new Set<Resident>()
  const once = vi.fn<() => Policy>(() => {
    throw new Error('once')
  })
  once.mockReturnValueOnce({
    add: (resident) => void here.add(resident),
    use: () => {},
    remove: (resident) => void here.delete(resident),
    victim: () => Array.from(here)[0] as Resident,
  })
  const c = cache({ policy: once })
  const store = memory()
  const close = vi.spyOn(store, 'close')
  const kv = keyValue(store, [c])
  await kv.set('a', bytes(1))
  await kv.get('a')
  c.clear()
  expect([here.size, c.stats().entries, c.stats().bytes]).toEqual([0, 0, 0])
  await kv.close()
  expect(close).toHaveBeenCalled()
})

test('what makes no policy is refused', () => {
  const misfit = cache({ policy: (() => ({ add: () => {} })) as never })
  expect(() => keyValue(memory(), [misfit])).toThrow(/use is missing/)
})

test('by bytes a large entry is worth as much as it takes', async () => {
  const worth: number[] = []
  const watching = (): Policy => ({
    add: ({ cost, bytes: size }) => void worth.push(cost / size),
    use: () => {},
    remove: () => {},
    victim: () => {
      throw new Error('there is room')
    },
  })
  const kv = keyValue(memory(), [cache({ policy: watching, cost: 'bytes' })])
  for (const length of [1, 5_000, 70]) {
    await kv.set(`${length}`, bytes(length))
    await kv.get(`${length}`)
  }
  expect(worth).toEqual([1, 1, 1])
})
