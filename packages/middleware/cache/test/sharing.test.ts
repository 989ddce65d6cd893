import {
  type Bytes,
  type CodecCapabilities,
  codec,
  compose,
  type Entry,
  json,
  keyValue,
  type Layer,
  type Store,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { structured } from '@unikv/core/structured'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cache, createCache, type Share } from '../src/index.ts'
import { copyOf } from '../src/values/copy.ts'
import { heapBytes, inspect } from '../src/values/inspect.ts'

/** A store of these objects: each read makes the value anew, as a codec does. */
function holding(make: () => unknown): Layer<Bytes, unknown, CodecCapabilities> {
  return codec<unknown>({ name: 'made', encode: () => new Uint8Array(1), decode: make })
}

async function twice(
  make: () => unknown,
  share?: Share,
): Promise<{ first: unknown; second: unknown; third: unknown; refusals: number }> {
  const c = cache({ share })
  const kv = keyValue(memory(), [c, holding(make)])
  await kv.set('a', 1)
  const [first, second, third] = [await kv.get('a'), await kv.get('a'), await kv.get('a')]
  return { first, second, third, refusals: c.stats().refusals }
}

class Account {
  readonly owner: string
  readonly entries: number[]
  constructor(owner: string, entries: number[]) {
    this.owner = owner
    this.entries = entries
  }
  get total(): number {
    return this.entries.reduce((sum, one) => sum + one, 0)
  }
}

class Guarded {
  readonly #secret = 7
  reveal(): number {
    return this.#secret
  }
}

describe('freeze', () => {
  test('hands out plain data by reference, frozen to its depth', async () => {
    const { first, second } = await twice(() => ({ name: 'Ada', tags: ['x', { deep: [1] }] }))
    expect(second).toBe(first)
    expect(() => (second as { tags: unknown[] }).tags.push('y')).toThrow(TypeError)
    expect(() => {
      ;((second as { tags: { deep: number[] }[] }).tags[1] as { deep: number[] }).deep[0] = 2
    }).toThrow(TypeError)
    expect(second).toEqual({ name: 'Ada', tags: ['x', { deep: [1] }] })
  })

  test.each<[string, () => unknown, (value: never) => void]>([
    ['bytes', () => new Uint8Array(Buffer.from('abc')), (value: Uint8Array) => value.fill(0)],
    ['bytes inside', () => ({ at: new Uint8Array([1, 2]) }), (value: { at: Uint8Array }) => value.at.fill(0)],
    ['a Date', () => new Date(5), (value: Date) => value.setTime(0)],
    [
      'a Map',
      () => new Map([['a', { b: 1 }]]),
      (value: Map<string, { b: number }>) => Object.assign(value.get('a') ?? {}, { b: 2 }),
    ],
    ['a Set', () => new Set([1]), (value: Set<number>) => value.clear()],
    ['a class instance', () => new Account('Ada', [1, 2]), (value: Account) => value.entries.push(3)],
    [
      'a plain object that holds one',
      () => ({ account: new Account('Ada', [1]) }),
      (value: { account: Account }) => value.account.entries.pop(),
    ],
  ])('copies %s on each hit, so that no reader spoils another', async (_name, make, spoil) => {
    const { first, second, third } = await twice(make)
    const distinct = new Set([first, second, third])
    expect(distinct.size).toBe(3)
    for (const value of [first, second]) spoil(value as never)
    expect(third).toEqual(make())
    expect(Object.getPrototypeOf(third)).toBe(Object.getPrototypeOf(make()))
  })

  test('keeps methods and accessors of class instances', async () => {
    const { third } = await twice(() => new Account('Ada', [1, 2]))
    expect((third as Account).total).toBe(3)
  })

  test.each<[string, () => unknown]>([
    ['private members', () => new Guarded()],
    ['internal slots', () => new URL('https://example.org/')],
    ['a function inside', () => ({ run: () => 1 })],
    ['a class derived from a built-in', () => new (class List extends Array<number> {})()],
    ['more depth than is walked', () => JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`)],
  ])('does not keep values with %s, but still reads them', async (_name, make) => {
    const { first, second, refusals } = await twice(make)
    expect(second).not.toBe(first)
    expect(refusals).toBe(3)
  })

  test('keeps cycles and shared references', async () => {
    const make = () => {
      const node: Record<string, unknown> = { at: new Date(1) }
      node['self'] = node
      return [node, node]
    }
    const { third } = await twice(make)
    const [a, b] = third as [Record<string, unknown>, Record<string, unknown>]
    expect(a).toBe(b)
    expect(a['self']).toBe(a)
  })

  test('does not freeze what was passed to set, nor keep it', async () => {
    const kv = keyValue(memory(), [cache(), structured<unknown>()])
    const mine = { list: [1] }
    await kv.set('a', mine)
    mine.list.push(2)
    expect(await kv.get('a')).toEqual({ list: [1] })
    expect(Object.isFrozen(mine)).toBe(false)
  })
})

test('copy hands out a private value to each reader', async () => {
  const { first, second, third } = await twice(() => ({ list: [1] }), 'copy')
  for (const value of [first, second]) (value as { list: number[] }).list.push(2)
  expect(third).toEqual({ list: [1] })
})

test('reference hands out the very value, whatever it is', async () => {
  const { first, second, third } = await twice(() => new Guarded(), 'reference')
  expect(second).toBe(first)
  expect(third).toBe(first)
})

test('reference hands out the same bytes on each hit, whatever memory the store below takes them from', async () => {
  const { second, third } = await twice(() => Buffer.from('abc'), 'reference')
  expect(third).toBe(second)
  expect(third).toEqual(Uint8Array.from(Buffer.from('abc')))
})

test('a function of your own copies in its way', async () => {
  const { second, third } = await twice(
    () => new Guarded(),
    () => new Guarded(),
  )
  expect(third).not.toBe(second)
  expect((third as Guarded).reveal()).toBe(7)
})

test('a copying function that throws costs the hit, not the read', async () => {
  const { second, refusals } = await twice(
    () => ({ a: 1 }),
    () => {
      throw new Error('cannot')
    },
  )
  expect(second).toEqual({ a: 1 })
  expect(refusals).toBe(3)
})

test('a property named __proto__ is copied as data', () => {
  const value = Object.defineProperty({ at: new Date(1) }, '__proto__', {
    value: { evil: [1] },
    enumerable: true,
    writable: true,
    configurable: true,
  })
  const made = copyOf(value, false) as Record<string, unknown>
  expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
  expect(Object.getOwnPropertyDescriptor(made, '__proto__')?.value).toEqual({ evil: [1] })
  expect(Object.getOwnPropertyDescriptor(made, '__proto__')?.value).not.toBe(
    Object.getOwnPropertyDescriptor(value, '__proto__')?.value,
  )
})

test('a copy equals the original and shares no object with it', () => {
  const anything = fc.anything({
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withBigInt: true,
    withNullPrototype: true,
    withSparseArray: true,
  })
  fc.assert(
    fc.property(anything, (value) => {
      const { kind, objects, shared } = inspect(value)
      fc.pre(kind !== 'opaque')
      const made = copyOf(value, shared)
      // Not `isDeepStrictEqual`, to which two invalid dates are different.
      expect(made).toStrictEqual(value)
      for (const object of inspect(made).objects) expect(objects.has(object)).toBe(false)
    }),
    { numRuns: 300 },
  )
})

test('a view of a large buffer is kept without that buffer', async () => {
  const c = cache()
  const store = compose(memory(), [c, holding(() => Buffer.alloc(1_000_000).subarray(10, 20))])
  const kv = keyValue(store)
  await kv.set('a', 1)
  await kv.get('a')
  expect(((await kv.get('a')) as Buffer).buffer.byteLength).toBe(10)
  expect(c.stats().bytes).toBeLessThan(1_000)
})

test('sizes are those of the heap', () => {
  expect(heapBytes('a'.repeat(100))).toBe(120)
  expect(heapBytes('語'.repeat(100))).toBe(216)
  expect(heapBytes(new Uint8Array(1_000))).toBe(1_184)
  expect(heapBytes({ id: 1, name: 'user1', email: 'u1@example.org' })).toBe(24 + 24 + 24 + 32)
})

describe('a value is shared truly, or not kept', () => {
  const states = new WeakMap<object, number>()
  class Weak {
    constructor() {
      states.set(this, 1)
    }
    get state(): number | undefined {
      return states.get(this)
    }
  }
  const match = /(?<x>a)/.exec('ab') as RegExpExecArray
  const hiding = Object.defineProperty({ date: new Date(1) }, 'hidden', { value: 2, enumerable: false })

  test.each<[string, unknown]>([
    ['an array with properties', Object.assign([new Date(1)], { total: 7 })],
    ['a Map with properties', Object.assign(new Map([[1, { x: 1 }]]), { total: 7 })],
    ['a Set with properties', Object.assign(new Set([1]), { total: 7 })],
    ['a Date with properties', Object.assign(new Date(1), { zone: 'UTC' })],
    ['a result of a regular expression', { match, at: new Date(1) }],
    ['a property that is not enumerable', hiding],
    [
      'an accessor',
      {
        date: new Date(1),
        get sum() {
          return 3
        },
      },
    ],
  ])('%s', async (_, value) => {
    for (const share of ['freeze', 'copy'] as const) {
      const values = createCache<unknown>({ share })
      await values.cached('k', () => value)
      const hit = await values.get('k')
      expect(describeAll(hit)).toEqual(describeAll(value))
      expect(values.stats().refusals).toBe(0)
    }
  })

  test('an object in a property of an array is frozen with it', async () => {
    const values = createCache<RegExpExecArray>()
    const hit = await values.cached('k', () => /(?<x>a)/.exec('ab') as RegExpExecArray)
    expect(Object.isFrozen(hit.groups)).toBe(true)
  })

  test('an instance with state in a WeakMap, as compilers make of private members, is not kept', async () => {
    const values = createCache<Weak>()
    expect((await values.cached('k', () => new Weak())).state).toBe(1)
    expect(values.peek('k')).toBeUndefined()
    expect(values.stats().refusals).toBe(1)
  })

  test('what a codec leaves out is no part of what is written through', async () => {
    const db = memory()
    const near = cache({ onWrite: 'through' })
    const kv = keyValue(db, [near, json<{ x: number; y?: number | undefined }>()])
    await kv.set('k', { x: 1, y: undefined })
    expect(Object.keys((await kv.get('k')) ?? {})).toEqual(['x'])
    await kv.set('k', { x: 2 })
    expect(await kv.get('k')).toEqual({ x: 2 })
    expect(near.stats()).toMatchObject({ hits: 1, writeFills: 1 })
  })

  test('bytes of a record are bytes, on a hit too', async () => {
    const stack = compose(memory(), [cache({ store: memory() })]) as Store<Uint8Array>
    const read = async () => ((await stack.read([{ key: 'k' }], callOptions()))[0] as Entry<Uint8Array>).value
    await stack.write([{ type: 'set', key: 'k', value: new Uint8Array([1, 2]), version: '1' }], callOptions())
    for (const value of [await read(), await read()]) {
      expect(Buffer.isBuffer(value)).toBe(false)
      expect(Array.from(value)).toEqual([1, 2])
    }
  })
})

/** All that can be seen of a value. */
function describeAll(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const names = Reflect.ownKeys(value).map((name) => {
    const descriptor = Object.getOwnPropertyDescriptor(value, name) as PropertyDescriptor
    return [String(name), descriptor.enumerable, describeAll(descriptor.value), 'get' in descriptor]
  })
  const items =
    value instanceof Map || value instanceof Set ? Array.from(value as Iterable<unknown>, describeAll) : []
  return {
    kind: Object.prototype.toString.call(value),
    time: value instanceof Date && value.getTime(),
    items,
    names,
  }
}
