import {
  type Bytes,
  type CallOptions,
  compose,
  isStoreError,
  json,
  keyValue,
  type Layer,
  layer,
  newVersion,
  type Store,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { encryption, keyring, open } from '../src/index.ts'
import { codeOf, keys, root1, root2, utf8 } from './records.ts'

const dataset = 'users'
const layerOf = (): ReturnType<typeof encryption> => encryption({ dataset, keys })

/** What the store itself holds under a canonical key. */
function held(store: MemoryStore, key: string): Bytes {
  return store.native.get(key)?.value as Bytes
}

/** Put bytes into the store behind the back of the layer. */
async function plant(store: MemoryStore, key: string, value: Bytes): Promise<void> {
  await store.write([{ type: 'set', key, value, version: newVersion() }], callOptions())
}

describe('the encryption layer', () => {
  test('gives back what was written, and the store holds only envelopes', async () => {
    const store = memory()
    const users = keyValue(store, [json(), layerOf()])
    await users.set('ada', { name: 'Ada Lovelace' })
    await users.setMany([
      ['bob', { name: 'Bob Lovelace' }],
      ['eve', { name: 'Eve Lovelace' }],
    ])
    expect(await users.get('ada')).toEqual({ name: 'Ada Lovelace' })
    expect(await users.getMany(['bob', 'eve', 'nobody'])).toEqual([
      { name: 'Bob Lovelace' },
      { name: 'Eve Lovelace' },
      undefined,
    ])
    for (const { value } of store.native.values()) {
      expect(Buffer.from(value).includes('Lovelace')).toBe(false)
      expect(Buffer.from(value).toString('hex', 0, 4)).toBe('9e756b76')
    }
  })

  test('decrypts what a scan brings', async () => {
    const users = keyValue(memory(), [json(), layerOf()])
    await users.setMany([
      ['a', 1],
      ['b', 2],
    ])
    const found: [string, unknown][] = []
    for await (const [key, { value }] of users.entries()) found.push([key, value])
    expect(found).toEqual([
      ['a', 1],
      ['b', 2],
    ])
  })

  test('binds a record to its namespace too, and open reads it with the canonical key', async () => {
    const store = memory()
    const team = keyValue(store, [layerOf()]).namespace('team')
    await team.set('ada', utf8('Ada'))
    const [canonical] = Array.from(store.native.keys()) as [string]
    expect(open(held(store, canonical), { keys, dataset, key: canonical })).toEqual(Buffer.from('Ada'))
    expect(codeOf(() => open(held(store, canonical), { keys, dataset, key: 'ada' }))).toBe(
      'AUTHENTICATION_FAILED',
    )
  })

  test('declares that it seals, and what it takes away', () => {
    const store = memory()
    const { capabilities } = compose(store, [layerOf()])
    expect(capabilities).toEqual({
      ...store.capabilities,
      sealed: true,
      increment: false,
      documents: false,
      maxValueBytes: store.capabilities.maxValueBytes - 102,
    })
    expectTypeOf(capabilities.sealed).toEqualTypeOf<true>()
    expectTypeOf(capabilities.increment).toEqualTypeOf<false>()
  })

  test('holds a value of exactly maxValueBytes, and the store refuses one byte more', async () => {
    const small = limited(memory(), 1000)
    const store = compose(small, [layerOf()])
    const { maxValueBytes } = store.capabilities
    const set = (length: number) =>
      store.write(
        [{ type: 'set', key: 'k', version: newVersion(), value: new Uint8Array(length) }],
        callOptions(),
      )
    expect(await set(maxValueBytes)).toMatchObject([{ version: expect.any(String) }])
    expect(await set(maxValueBytes + 1)).toMatchObject([{ code: 'VALUE_TOO_LARGE' }])
  })

  test('answers at once over a store that does', () => {
    const store = compose(memory(), [layerOf()])
    const written = store.write(
      [{ type: 'set', key: 'k', version: newVersion(), value: utf8('v') }],
      callOptions(),
    )
    const found = store.read([{ key: 'k' }], callOptions())
    const pages = store.scan({ prefix: '', pageSize: 10, values: true }, callOptions())
    expect(Array.isArray(written) && Array.isArray(found) && Symbol.iterator in pages).toBe(true)
  })

  test('shares one derivation within a batch and takes a new one for the next', async () => {
    const store = memory()
    const users = keyValue(store, [layerOf()])
    const salt = (key: string) => Buffer.from(held(store, key)).toString('hex', 18, 50)
    await users.setMany([
      ['a', utf8('1')],
      ['b', utf8('2')],
    ])
    await users.set('c', utf8('3'))
    expect(salt('a')).toBe(salt('b'))
    expect(salt('c')).not.toBe(salt('a'))
  })

  test('keeps conditions, expiry, touch and delete working', async () => {
    const users = keyValue(memory(), [json(), layerOf()])
    const { version } = await users.set('ada', 1, { ttlMs: 60_000 })
    await expect(users.set('ada', 2, { ifVersion: null })).rejects.toMatchObject({ code: 'CONDITION_FAILED' })
    await users.set('ada', 2, { ifVersion: version, ttlMs: 'keep' })
    expect(await users.touch('ada', { ttlMs: 120_000 })).toBe(true)
    expect(await users.getEntry('ada')).toMatchObject({ value: 2, expiresAt: expect.any(Number) })
    expect(await users.update('ada', (n) => (n as number) + 1)).toBeDefined()
    await users.delete('ada')
    expect(await users.get('ada')).toBeUndefined()
  })

  test('knows whether a record is there without opening it', async () => {
    const store = memory()
    const users = keyValue(store, [layerOf()])
    await plant(store, 'plain', utf8('not encrypted'))
    expect(await users.has('plain')).toBe(true)
    await expect(users.get('plain')).rejects.toMatchObject({ code: 'CORRUPT', key: 'plain' })
  })

  test('hands up no body that was not asked for', async () => {
    const store = memory()
    await plant(store, 'plain', utf8('not encrypted'))
    const eager = layer<Bytes, Bytes>('eager', {
      inner: 'bytes',
      outer: 'bytes',
      wrap: (inner) => ({
        read: (reads, call) =>
          inner.read(
            reads.map(({ key }) => ({ key })),
            call,
          ),
        scan: (range, call) => inner.scan({ ...range, values: true }, call),
      }),
    })
    const stack = compose(store, [layerOf(), eager])
    expect(await stack.read([{ key: 'plain', head: true }], callOptions())).toMatchObject([
      { notModified: true },
    ])
    const [page] = Array.from(
      stack.scan({ prefix: '', pageSize: 9, values: false }, callOptions()) as Iterable<unknown>,
    )
    expect(page).toEqual({ entries: [{ key: 'plain' }], resume: undefined })
  })
})

describe('a store that was tampered with', () => {
  test('is refused record by record; the others stay readable', async () => {
    const store = memory()
    const users = keyValue(store, [json(), layerOf()])
    await users.setMany([
      ['ada', 1],
      ['bob', 2],
      ['eve', 3],
    ])
    await plant(store, 'ada', held(store, 'bob'))
    await plant(store, 'eve', utf8('3'))
    const failure: unknown = await users.getMany(['ada', 'bob', 'eve']).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'PARTIAL' })
    expect((failure as { results: unknown[] }).results).toMatchObject([
      { code: 'AUTHENTICATION_FAILED' },
      { value: 2 },
      { code: 'CORRUPT' },
    ])
    const errors = new Map<string, unknown>()
    const pages = compose(store, [layerOf()]).scan({ prefix: '', pageSize: 2, values: true }, callOptions())
    for await (const { entries } of pages)
      for (const { key, entry } of entries) errors.set(key, isStoreError(entry) ? entry.code : 'read')
    expect(Object.fromEntries(errors)).toEqual({ ada: 'AUTHENTICATION_FAILED', bob: 'read', eve: 'CORRUPT' })
  })

  test('cannot serve a record of another dataset', async () => {
    const store = memory()
    await keyValue(store, [encryption({ dataset: 'staging', keys })]).set('ada', utf8('Ada'))
    const users = keyValue(store, [layerOf()])
    await expect(users.get('ada')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
  })

  test('cannot serve a plaintext record, unless the options say so', async () => {
    const store = memory()
    await plant(store, 'ada', utf8('written before the layer'))
    const strict = keyValue(store, [layerOf()])
    await expect(strict.get('ada')).rejects.toMatchObject({ code: 'CORRUPT' })
    const lenient = keyValue(store, [encryption({ dataset, keys, requireEncryption: false })])
    expect(await lenient.get('ada')).toEqual(utf8('written before the layer'))
    await lenient.set('bob', utf8('Bob'))
    await plant(store, 'ada', held(store, 'bob'))
    await expect(lenient.get('ada')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    expect(await strict.get('bob')).toEqual(Buffer.from('Bob'))
  })
})

describe('rotation', () => {
  const old = keyring({ primary: 'k1', keys: { k1: root1 } })
  const both = keyring({ primary: 'k2', keys: { k1: root1, k2: root2 } })
  const after = keyring({ primary: 'k2', keys: { k1: { state: 'destroyed' }, k2: root2 } })

  test('the new keyring reads all; the old one says which key it lacks', async () => {
    const store = memory()
    const before = keyValue(store, [json(), encryption({ dataset, keys: old })])
    const during = keyValue(store, [json(), encryption({ dataset, keys: both })])
    await before.set('a', 1)
    await during.set('b', 2)
    expect(await during.getMany(['a', 'b'])).toEqual([1, 2])
    expect(await before.get('a')).toBe(1)
    await expect(before.get('b')).rejects.toMatchObject({
      code: 'UNKNOWN_KEY_ID',
      message: expect.stringContaining("'k2'"),
    })
    const done = keyValue(store, [json(), encryption({ dataset, keys: after })])
    await expect(done.get('a')).rejects.toMatchObject({
      code: 'UNKNOWN_KEY_ID',
      message: expect.stringContaining('destroyed'),
    })
    for await (const key of during.keys()) await during.update(key, (value) => value)
    expect(await done.getMany(['a', 'b'])).toEqual([1, 2])
  })

  test('a change of algorithm leaves old records readable', async () => {
    const store = memory()
    await keyValue(store, [encryption({ dataset, keys, algorithm: 'aes-128-gcm' })]).set('a', utf8('128'))
    await keyValue(store, [encryption({ dataset, keys, algorithm: 'aes-256-gcm' })]).set('b', utf8('256'))
    for (const algorithm of ['aes-128-gcm', 'aes-256-gcm'] as const) {
      const users = keyValue(store, [encryption({ dataset, keys, algorithm })])
      expect(await users.getMany(['a', 'b'])).toEqual([Buffer.from('128'), Buffer.from('256')])
    }
  })

  test('eight writers and a rotation leave every value readable to the new keyring', async () => {
    const store = memory()
    const writers = Array.from({ length: 8 }, (_, i) =>
      keyValue(store, [json(), encryption({ dataset, keys: i % 2 === 0 ? old : both })]),
    )
    for (let round = 0; round < 20; round++)
      await Promise.all(writers.map((kv, i) => kv.set(`k${(i * 7 + round) % 20}`, round)))
    const reader = keyValue(store, [json(), encryption({ dataset, keys: both })])
    for await (const [, { value }] of reader.entries()) expect(value).toBeTypeOf('number')
  })
})

describe('bad use', () => {
  test.each([
    ['no dataset', { keys }],
    ['an empty dataset', { keys, dataset: '' }],
    ['no keys', { dataset }],
    ['keys that are no keyring', { dataset, keys: { k1: root1 } }],
    ['an unknown algorithm', { dataset, keys, algorithm: 'rot13' }],
  ])('%s is refused when the layer is made', (_, options) => {
    expect(codeOf(() => encryption(options as never))).toBe('INVALID_CONFIG')
  })

  test('a value that is not bytes is refused, and the rest of the batch written where the store allows it', async () => {
    const apart = loose(memory())
    const [one, two] = (await compose(apart, [layerOf()]).write(
      [
        { type: 'set', key: 'a', version: newVersion(), value: 'text' as never },
        { type: 'set', key: 'b', version: newVersion(), value: utf8('b') },
      ],
      callOptions(),
    )) as [WriteResult, WriteResult]
    expect(one).toMatchObject({ code: 'INVALID_VALUE' })
    expect(two).toMatchObject({ version: expect.any(String) })
    const whole = await compose(memory(), [layerOf()]).write(
      [
        { type: 'set', key: 'a', version: newVersion(), value: 'text' as never },
        { type: 'set', key: 'b', version: newVersion(), value: utf8('b') },
      ],
      callOptions(),
    )
    expect(whole).toMatchObject([{ code: 'INVALID_VALUE' }, { code: 'INVALID_VALUE' }])
  })

  test('an increment never reaches the store', async () => {
    const store = memory()
    const [result] = await compose(store, [layerOf()]).write(
      [{ type: 'increment', key: 'n', version: newVersion(), by: 1, initial: 0 }],
      callOptions(),
    )
    expect(result).toMatchObject({ code: 'UNSUPPORTED' })
    expect(store.native.size).toBe(0)
  })

  test('encryption before compression is refused with a sentence', () => {
    const compressing = layer<Bytes, Bytes>('compression', {
      inner: 'bytes',
      outer: 'bytes',
      wrap: (inner) => ({
        read: Object.assign((...call: Parameters<Store<Bytes>['read']>) => inner.read(...call), {
          [Symbol.for('@unikv/compressed')]: true,
        }),
      }),
    })
    const wrong = () => compose(memory(), [layerOf(), compressing])
    expect(codeOf(wrong)).toBe('INVALID_CONFIG')
    expect(wrong).toThrow('encrypted bytes do not compress')
    expect(codeOf(() => compose(memory(), [compressing, layerOf()]))).toBeUndefined()
  })

  test('encryption over objects does not compile, and is refused when it runs', () => {
    // @ts-expect-error -- encryption needs bytes
    expect(() => compose(memory(), [encryption({ dataset, keys }), json()])).toThrow('Wrong order')
  })
})

/** The store with another limit. */
function limited<S extends Store<Bytes>>(store: S, maxValueBytes: number): S {
  return { ...store, capabilities: { ...store.capabilities, maxValueBytes } }
}

/** The store, with batches that take effect item by item. */
function loose(store: MemoryStore): Store<Bytes> {
  const batch = { ...store.capabilities.batch, atomicity: 'none' as const }
  return { ...store, capabilities: { ...store.capabilities, batch } }
}

expectTypeOf(encryption({ dataset, keys })).toMatchTypeOf<Layer<Bytes, Bytes, { readonly sealed: true }>>()
expectTypeOf<CallOptions>().toBeObject()
