import { testClock } from '@unikv/conformance'
import {
  type AnyLayer,
  type AnyStore,
  compose,
  type Entry,
  isStoreError,
  keyValue,
  type Mutation,
  newVersion,
  passThrough,
  StoreError,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { structured } from '@unikv/core/structured'
import { describe, expect, test } from 'vitest'
import { cache, type ObjectCacheOptions } from '../src/index.ts'
import { ownCopy } from '../src/write-through.ts'
import { turn } from './gated-store.ts'

/** A cache of objects over a store whose writes wait at a gate each, and take effect when they are let through. */
function gatedWrites(options: ObjectCacheOptions = {}) {
  const clock = testClock(1_000)
  const waiting: ((error?: Error) => void)[] = []
  let reads = 0
  const gate = passThrough('gate', {
    capabilities: () => ({ sync: 'none' as const }),
    wrap: (inner) => ({
      read: async (asked, call) => {
        reads++
        return inner.read(asked, call)
      },
      write: (mutations, call) =>
        new Promise((resolve, reject) => {
          waiting.push((error) => {
            if (error === undefined) resolve(inner.write(mutations, call))
            else reject(error)
          })
        }),
    }),
  })
  const c = cache({ onWrite: 'through', clock, monotonicClock: clock, ...options })
  const layers: readonly AnyLayer[] = [c, structured(), gate]
  const store = compose<AnyStore, readonly AnyLayer[]>(memory({ clock }), layers)
  const write = async (mutation: Partial<Mutation<unknown>>) => {
    const whole = { version: newVersion(), ...mutation } as Mutation<unknown>
    const [result] = await store.write([whole], callOptions())
    return result
  }
  const set = (key: string, value: unknown, more: Partial<Mutation<unknown>> = {}) =>
    write({ type: 'set', key, value, ...more })
  const read = async (key: string) => {
    const [result] = await store.read([{ key }], callOptions())
    return result as Entry<unknown> | undefined
  }
  const letThrough = async (at = 0, error?: Error) => {
    waiting.splice(at, 1)[0]?.(error)
    await turn()
  }
  return { clock, c, store, set, write, read, letThrough, reads: () => reads }
}

describe('a set that was acknowledged', () => {
  test('leaves its value, version and expiry, so that the next read is a hit', async () => {
    const { set, read, letThrough, reads, c, clock } = gatedWrites()
    const done = set('a', { n: 1 }, { version: 'v1', expiresAt: 1_500 })
    await letThrough()
    await done
    expect(await read('a')).toEqual({
      value: { n: 1 },
      version: 'v1',
      expiresAt: 1_500,
      meta: { tier: 'memory' },
    })
    expect(reads()).toBe(0)
    expect(c.stats()).toMatchObject({ writeFills: 1, hits: 1, misses: 0 })
    clock.advance(500)
    expect(await read('a')).toBeUndefined()
  })

  test('leaves nothing by default', async () => {
    const { set, read, letThrough, reads, c } = gatedWrites({ onWrite: 'around' })
    const done = set('a', { n: 1 })
    await letThrough()
    await done
    expect((await read('a'))?.value).toEqual({ n: 1 })
    expect([reads(), c.stats().writeFills]).toEqual([1, 0])
  })

  test('is fresh from when it began, not from when it ended', async () => {
    const { set, read, letThrough, reads, clock } = gatedWrites({ freshForMs: 100 })
    const done = set('a', 1)
    clock.advance(60)
    await letThrough()
    await done
    clock.advance(39)
    expect((await read('a'))?.meta).toEqual({ tier: 'memory' })
    clock.advance(1)
    await read('a')
    expect(reads()).toBe(1)
  })

  test('leaves the caller his value: not frozen, and changes of it change nothing', async () => {
    const { set, read, letThrough, reads } = gatedWrites()
    const mine = { list: [1], at: new Date(5) }
    const done = set('a', mine)
    mine.list.push(2)
    await letThrough()
    await done
    mine.list.push(3)
    const got = (await read('a'))?.value as typeof mine
    expect(got).toEqual({ list: [1], at: new Date(5) })
    expect(Object.isFrozen(mine.list)).toBe(false)
    expect(reads()).toBe(0)
  })

  test('is written although it cannot be copied, and leaves nothing', async () => {
    const share = () => {
      throw new Error('no copy')
    }
    const { set, letThrough, c } = gatedWrites({ share })
    const done = set('a', { n: 1 })
    await letThrough()
    expect(await done).toHaveProperty('version')
    expect(c.stats()).toMatchObject({ writeFills: 0, entries: 0 })
    expect(ownCopy({ call: () => 1 }, 'freeze')).toBeUndefined()
    expect(ownCopy({ [Symbol('own')]: 1 }, 'freeze')).toBeUndefined()
    const twice = { n: 1 }
    expect(ownCopy([twice, twice], 'freeze')).toBeUndefined()
    expect(ownCopy({ inner: Object.assign(Object.create(null), { n: 1 }) }, 'copy')).toBeUndefined()
  })

  test.each([
    [(value: unknown) => structuredClone(value), false],
    ['reference' as const, true],
    ['copy' as const, false],
  ])('is shared as %s says', async (share, isSame) => {
    const { set, read, letThrough } = gatedWrites({ share })
    const mine = { n: 1 }
    const done = set('a', mine)
    await letThrough()
    await done
    expect((await read('a'))?.value === mine).toBe(isSame)
    expect((await read('a'))?.value).toEqual({ n: 1 })
    expect(Object.isFrozen(mine)).toBe(false)
  })

  test('overtakes the loads that were under way', async () => {
    const { set, read, letThrough, store } = gatedWrites()
    const first = set('a', 1)
    const loading = store.read([{ key: 'a' }], callOptions())
    await letThrough()
    await Promise.all([first, loading])
    expect((await read('a'))?.value).toBe(1)
  })
})

describe('nothing is left', () => {
  test.each([
    [0, 0],
    [1, 0],
  ])('of two sets that overlap, in whatever order they end', async (...order) => {
    const { set, read, letThrough, reads, c } = gatedWrites()
    const both = Promise.all([set('a', 1), set('a', 2)])
    for (const at of order) await letThrough(at)
    await both
    expect(c.stats()).toMatchObject({ writeFills: 0, entries: 0 })
    await read('a')
    expect(reads()).toBe(1)
  })

  test('of a batch that names a key twice', async () => {
    const { store, letThrough, c } = gatedWrites()
    const mutation = (value: number) => ({ type: 'set', key: 'a', value, version: newVersion() }) as const
    const done = store.write([mutation(1), mutation(2)], callOptions())
    await letThrough()
    await done
    expect(c.stats().writeFills).toBe(0)
  })

  test('of a set whose condition failed', async () => {
    const { set, letThrough, c } = gatedWrites()
    const done = set('a', 1, { ifVersion: 'f'.repeat(24) })
    await letThrough()
    expect(await done).toMatchObject({ conditionFailed: true })
    expect(c.stats()).toMatchObject({ writeFills: 0, entries: 0 })
  })

  test('of a set that keeps an expiry nobody told', async () => {
    const { set, letThrough, c } = gatedWrites()
    const done = set('a', 1, { expiresAt: 'keep' })
    await letThrough()
    await done
    expect(c.stats().writeFills).toBe(0)
  })

  test.each(['UNAVAILABLE', 'OUTCOME_UNKNOWN'] as const)('of a set that ended with %s', async (code) => {
    const { set, letThrough, c } = gatedWrites()
    const done = set('a', 1).catch((error: unknown) => error)
    await letThrough(0, new StoreError(code, 'no'))
    expect(isStoreError(await done)).toBe(true)
    expect(c.stats().writeFills).toBe(0)
  })

  test('of a set while an earlier one is in doubt', async () => {
    const { set, letThrough, c } = gatedWrites()
    const lost = set('a', 1).catch(() => {})
    await letThrough(0, new StoreError('OUTCOME_UNKNOWN', 'no'))
    await lost
    const done = set('a', 2)
    await letThrough()
    await done
    expect(c.stats()).toMatchObject({ writeFills: 0, entries: 0 })
  })

  test.each<Partial<Mutation<unknown>>>([
    { type: 'delete', key: 'a' },
    { type: 'touch', key: 'a', expiresAt: 5_000 },
  ])('by %j', async (mutation) => {
    const { set, write, letThrough, c } = gatedWrites()
    const done = set('a', 1)
    await letThrough()
    await done
    expect(c.stats().entries).toBe(1)
    const ended = write(mutation)
    expect(c.stats().entries).toBe(0)
    await letThrough()
    await ended
    expect(c.stats().entries).toBe(0)
  })
})

test.each([{}, { bytes: 'buffer' }] as const)(
  'bytes are of the class that the codec gives: %j',
  async (own) => {
    for (const value of [Buffer.from('1'), { bytes: Buffer.from('1') }, { bytes: new Uint8Array(1) }]) {
      const c = cache({ onWrite: 'through' })
      const kv = keyValue(memory(), [c, structured<unknown>(own)])
      await kv.set('a', value)
      const near = await kv.get('a')
      c.clear()
      expect(near).toStrictEqual(await kv.get('a'))
      expect(c.stats()).toMatchObject({ loads: 2 })
    }
  },
)

test('over a store that answers at once the value is kept, too', () => {
  const c = cache({ onWrite: 'through' })
  const store = compose(memory(), [c])
  const value = Buffer.from('1')
  void store.write([{ type: 'set', key: 'a', value, version: newVersion() }], callOptions())
  value[0] = 0
  const [found] = store.read([{ key: 'a' }], callOptions()) as unknown as [{ value: Buffer }]
  expect(Buffer.from(found.value).toString()).toBe('1')
  expect(c.stats()).toMatchObject({ writeFills: 1, hits: 1, loads: 0 })
})

test('an onWrite that is none is INVALID_CONFIG', () => {
  expect(() => cache({ onWrite: 'back' as never })).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG' }),
  )
})
