import { randomBytes } from 'node:crypto'
import {
  type Bytes,
  compose,
  isPromise,
  json,
  keyValue,
  layer,
  newVersion,
  passThrough,
  type Store,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { sync } from '@unikv/core/sync'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { compression } from '../src/index.ts'
import { zstd } from '../src/zstd/zstd.ts'
import { algorithms, codeOf, prose } from './samples.ts'

function held(store: MemoryStore, key: string): Bytes {
  return store.native.get(key)?.value as Bytes
}

describe('the compression layer', () => {
  test.each(algorithms)(
    'gives back what was written with %s, small and large, singly and in batches',
    async (algorithm) => {
      const store = memory()
      const kv = keyValue(store, [compression({ algorithm })])
      const values = [0, 10, 1000, 20_000, 300_000].map((length) => prose(length))
      await kv.set('single', values[4] as Bytes)
      await kv.setMany(values.map((value, i) => [`many ${i}`, value]))
      expect(Buffer.compare((await kv.get('single')) as Bytes, values[4] as Bytes)).toBe(0)
      const many = await kv.getMany([...values.map((_, i) => `many ${i}`), 'absent'])
      expect(many.map((value) => value?.length)).toEqual([0, 10, 1000, 20_000, 300_000, undefined])
      expect(held(store, 'many 4').length).toBeLessThan(200_000)
      const listed: number[] = []
      for await (const [, { value }] of kv.entries({ prefix: 'many' })) listed.push(value.length)
      expect(listed).toEqual([0, 10, 1000, 20_000, 300_000])
    },
  )

  test('reads what it wrote with other options', async () => {
    const store = memory()
    for (const algorithm of algorithms)
      await keyValue(store, [compression({ algorithm })]).set(algorithm, prose(5000))
    await keyValue(store, [compression({ minBytes: 1_000_000 })]).set('stored', prose(5000))
    const kv = keyValue(store, [compression()])
    for (const value of await kv.getMany([...algorithms, 'stored'])) expect(value).toHaveLength(5000)
  })

  test('declares what it takes away, and that large values come with a promise', () => {
    const store = memory()
    const { capabilities } = compose(store, [compression()])
    expect({ ...capabilities }).toMatchObject({
      increment: false,
      documents: false,
      deltas: false,
      sync: 'none',
      maxValueBytes: 67_108_864,
    })
    expect(compose(store, [compression({ threads: false })]).capabilities.sync).toBe('all')
    expectTypeOf(capabilities.increment).toEqualTypeOf<false>()
    expectTypeOf(capabilities.sync).toEqualTypeOf<'none'>()
    const small = { ...store, capabilities: { ...store.capabilities, maxValueBytes: 1000 } }
    expect(compose(small, [compression()]).capabilities.maxValueBytes).toBe(994)
  })

  test('answers at once for small values', () => {
    const store = compose(memory(), [compression()])
    const set = (value: Bytes) =>
      store.write([{ type: 'set', key: 'k', version: newVersion(), value }], callOptions())
    expect(isPromise(set(prose(1000)))).toBe(false)
    expect(isPromise(store.read([{ key: 'k' }], callOptions()))).toBe(false)
    expect(isPromise(set(prose(100_000)))).toBe(true)
  })

  test('has a synchronous twin without threads', () => {
    const kv = sync(keyValue(memory(), [compression({ threads: false })]))
    kv.set('large', prose(500_000))
    expect(kv.get('large')).toHaveLength(500_000)
  })

  test('refuses single values that are too large or no bytes, and writes the others where the store allows it', async () => {
    const apart = loose(memory())
    const set = (key: string, value: unknown) =>
      ({ type: 'set', key, version: newVersion(), value: value as Bytes }) as const
    const mutations = [
      set('a', 'text'),
      set('b', prose(100)),
      set('c', prose(100_000)),
      set('d', prose(2000)),
    ]
    const layers = [compression({ maxOutputBytes: 50_000 })] as const
    const results = await compose(apart, layers).write(mutations, callOptions())
    expect(results).toMatchObject([
      { code: 'INVALID_VALUE' },
      { version: expect.any(String) },
      { code: 'VALUE_TOO_LARGE' },
      { version: expect.any(String) },
    ])
    const whole = await compose(memory(), layers).write(mutations, callOptions())
    expect(whole).toMatchObject([
      { code: 'INVALID_VALUE' },
      { code: 'INVALID_VALUE' },
      { code: 'VALUE_TOO_LARGE' },
      { code: 'INVALID_VALUE' },
    ])
  })

  test('refuses a damaged record; the others stay readable', async () => {
    const store = memory()
    const kv = keyValue(store, [compression()])
    await kv.setMany([
      ['a', prose(1000)],
      ['b', prose(1000)],
    ])
    // the frame and its length are whole, what follows is noise
    const damaged = Buffer.concat([held(store, 'a').subarray(0, 6), randomBytes(100)])
    await store.write([{ type: 'set', key: 'a', version: newVersion(), value: damaged }], callOptions())
    await expect(kv.get('a')).rejects.toMatchObject({ code: 'CORRUPT', key: 'a' })
    expect(await kv.get('b')).toHaveLength(1000)
    const found: unknown[] = []
    const stack = compose(store, [compression()])
    for await (const { entries } of stack.scan({ prefix: '', pageSize: 1, values: true }, callOptions()))
      found.push(...entries.map(({ entry }) => entry))
    expect(found).toMatchObject([{ code: 'CORRUPT' }, { version: expect.any(String) }])
  })

  test('answers has without decompressing', async () => {
    const store = memory()
    await store.write([{ type: 'set', key: 'a', version: newVersion(), value: prose(50) }], callOptions())
    expect(await keyValue(store, [compression()]).has('a')).toBe(true)
  })

  test('an increment never reaches the store', async () => {
    const store = memory()
    const increment = { type: 'increment', key: 'n', version: newVersion(), by: 1, initial: 0 } as const
    expect(await compose(store, [compression()]).write([increment], callOptions())).toMatchObject([
      { code: 'UNSUPPORTED' },
    ])
    expect(store.native.size).toBe(0)
  })

  test('a call that was answered already writes nothing when its value is compressed', async () => {
    const store = memory()
    const kv = keyValue(store, [compression({ algorithm: 'brotli', level: 11 })], { timeoutMs: 30 })
    const abort = new AbortController()
    const write = kv.set('k', prose(400_000), { signal: abort.signal })
    abort.abort()
    await expect(write).rejects.toMatchObject({ code: 'ABORTED' })
    await kv.close()
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(store.native.size).toBe(0)
  })
})

describe('composing', () => {
  const sealing = layer<Bytes, Bytes, { readonly sealed: true }>('sealing', {
    inner: 'bytes',
    outer: 'bytes',
    capabilities: { sealed: true },
    wrap: () => ({}),
  })
  const between = passThrough('between', { wrap: () => ({}) })

  test('compression over encryption is refused, unless asked for', async () => {
    expect(await codeOf(() => compose(memory(), [compression(), sealing]))).toBe('INVALID_CONFIG')
    expect(await codeOf(() => compose(memory(), [compression(), between, sealing]))).toBe('INVALID_CONFIG')
    expect(() => compose(memory(), [compression(), sealing])).toThrow('withEncryption: true')
    expect(
      await codeOf(() => compose(memory(), [compression({ withEncryption: true }), sealing])),
    ).toBeUndefined()
    expect(await codeOf(() => compose(memory(), [compression({ withEncryption: true })]))).toBeUndefined()
  })

  test('compression over compression is refused, also with a layer between', async () => {
    for (const layers of [
      [compression(), compression()],
      [compression(), between, compression()],
    ] as const)
      expect(await codeOf(() => compose(memory(), layers))).toBe('INVALID_CONFIG')
    expect(await codeOf(() => compose(compose(memory(), [compression()]), [between]))).toBeUndefined()
  })

  test('is among the forms that layers above may ask for', () => {
    expect(compose(memory(), [compression()]).capabilities.holds).toEqual(['compressed'])
  })

  test('compression over objects does not compile, and is refused when it runs', () => {
    // @ts-expect-error -- compression needs bytes
    expect(() => compose(memory(), [compression(), json()])).toThrow('Wrong order')
  })

  test('bad options are refused when the layer is made', async () => {
    expect(await codeOf(() => compression({ algorithm: 'zip' as never }))).toBe('INVALID_CONFIG')
    expect(await codeOf(() => compression({ level: 99 }))).toBe('INVALID_CONFIG')
    expect(await codeOf(() => compression({ maxOutputBytes: -1 }))).toBe('INVALID_CONFIG')
    expect(await codeOf(() => compression({ algorithm: 'zstd' }))).toBe(
      zstd === undefined ? 'INVALID_CONFIG' : undefined,
    )
  })
})

/** The store, with batches that take effect item by item. */
function loose(store: MemoryStore): Store<Bytes> {
  const batch = { ...store.capabilities.batch, atomicity: 'none' as const }
  return { ...store, capabilities: { ...store.capabilities, batch } }
}
