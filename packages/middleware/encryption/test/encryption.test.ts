import {
  type Bytes,
  type CallOptions,
  compose,
  json,
  keyValue,
  type Layer,
  layer,
  newVersion,
  type Store,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { encryption, type NameKey, open } from '../src/index.ts'
import { codeOf, keys, utf8 } from './records.ts'
import { dataset, held, layerOf, plant } from './stored.ts'

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

  test('a large value is alone in its memory as it comes out of the cipher', async () => {
    const store = compose(memory(), [layerOf()])
    const value = new Uint8Array(10_000).fill(7)
    const call = callOptions()
    await store.write([{ type: 'set', key: 'a', value, version: newVersion() }], call)
    const [entry] = await store.read([{ key: 'a' }], call)
    const found = (entry as { readonly value: Bytes }).value
    expect(found).toEqual(value)
    expect([found.constructor, found.buffer.byteLength]).toEqual([Uint8Array, 10_000])
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
      deltas: false,
      // one tag for each of the 1,024 chunks of the longest
      maxValueBytes: store.capabilities.maxValueBytes - 107 - 16 * 1_023,
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

/** The store with another limit. */
function limited<S extends Store<Bytes>>(store: S, maxValueBytes: number): S {
  return { ...store, capabilities: { ...store.capabilities, maxValueBytes } }
}

expectTypeOf(encryption({ dataset, keys })).toMatchTypeOf<Layer<Bytes, Bytes, { readonly sealed: true }>>()
expectTypeOf<CallOptions>().toBeObject()
{
  // Names that a program may or may not give: it may do what is possible with both.
  const names = undefined as NameKey | undefined
  expectTypeOf(encryption({ dataset, keys, names })).toMatchTypeOf<
    Layer<Bytes, Bytes, { readonly sealed: true }>
  >()
}
