import { type Bytes, isStoreError, json, keyValue, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { mirror } from '../src/index.ts'
import { setting } from './setting.ts'

describe('a mirror is a store', () => {
  test('keyValue infers values, operations and the native client of the primary', async () => {
    const both = mirror(memory(), memory({ name: 'second' }))
    await using kv = keyValue(both, [json()])
    expectTypeOf(kv.native).toEqualTypeOf<ReturnType<typeof memory>['native']>()
    await kv.set('a', { n: 1 }, { ttlMs: 60_000 })
    expect(kv.native.has('a')).toBe(true)
    expect(both.secondary.native.get('a')).toEqual(both.primary.native.get('a'))
  })

  test('what only one of them can do is left out, in the types and at run time', async () => {
    const plain = { ...memory(), name: 'plain' }
    const bare = { ...plain, capabilities: { ...plain.capabilities, ttl: false, maxKeyBytes: 99 } as const }
    const both = mirror(memory(), bare)
    expectTypeOf(both.capabilities.ttl).toEqualTypeOf<false>()
    expectTypeOf(both.capabilities.touch).toEqualTypeOf<false>()
    expect(both.capabilities).toMatchObject({ ttl: false, touch: false, maxKeyBytes: 99, increment: true })
    const kv = keyValue(both, [json()])
    // @ts-expect-error -- an expiry is never dropped silently: it is refused
    await expect(kv.set('a', 1, { ttlMs: 1_000 })).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })

  test('refuses what cannot be mirrored', () => {
    const [a, b] = [memory(), memory()]
    const sealed = { ...a, capabilities: { ...a.capabilities, sealed: true } }
    const scan = { ...a.capabilities.scan, prefix: 'namespaces' } as never
    const named = { ...a, capabilities: { ...sealed.capabilities, scan } }
    const named2 = { ...named }
    const documents = { ...a, capabilities: { ...a.capabilities, documents: true } }
    const unconditional = { ...memory(), capabilities: { ...a.capabilities, conditionalWrite: false } }
    const wrong = [
      () => mirror(a, a),
      () => mirror(sealed, b),
      () => mirror(named, sealed),
      () => mirror(named, named2, { journal: b }),
      () => mirror(documents, b),
      () => mirror(a, b, { timeoutMs: 0 }),
      () => mirror(a, b, { acknowledge: 'none' as 'both' }),
      () => mirror(a, b, { writers: 'few' as 'one' }),
      () => mirror(a, b, { background: true as never }),
      () => mirror(a, b, { journal: b }),
      () => mirror(a, b, { journal: unconditional }),
      () => mirror(a, b, { journal: memory(), namespace: 'n'.repeat(70_000) }),
    ]
    for (const make of wrong) expect(make).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
    expect(mirror(sealed, b, { plaintext: 'allowed' }).capabilities.sealed).toBe(false)
    expect(mirror(named, sealed, { plaintext: 'allowed', journal: b }).capabilities.sealed).toBe(true)
    expect(mirror(named, named2).capabilities.sealed).toBe(true)
    expect(mirror(sealed, { ...b, capabilities: sealed.capabilities }).capabilities.sealed).toBe(true)
  })
})

describe('the primary decides', () => {
  test('a write is in both when it is acknowledged, with version and expiry', async () => {
    const { kv, primary, secondary, both } = setting()
    await kv.set('a', '1')
    await kv.setMany([
      ['b', '2'],
      ['c', '3'],
    ])
    await kv.delete('b')
    expect(secondary.inner.native).toEqual(primary.inner.native)
    expect(both.stats()).toMatchObject({ writes: 4, mirrored: 4, dirty: 0, repairs: 0 })
  })

  test('what a mutation does not tell is read from the primary: touch, increment, keep', async () => {
    const { both, primary, secondary } = setting()
    const kv = keyValue(mirror(primary.inner, secondary.inner))
    await kv.set('a', Buffer.from('1'), { ttlMs: 60_000 })
    await kv.set('a', Buffer.from('2'), { ttlMs: 'keep' })
    await kv.touch('a', { ttlMs: 90_000 })
    expect(await kv.increment('n', 5)).toBe(5)
    expect(secondary.inner.native).toEqual(primary.inner.native)
    expect(secondary.inner.native.get('n')?.value).toEqual(new Uint8Array(Buffer.from('5')))
    expect(both.stats().dirty).toBe(0)
  })

  test('a condition that fails in the primary changes nothing in the secondary', async () => {
    const { primary, secondary } = setting()
    const kv = keyValue(mirror(primary.inner, secondary.inner))
    await kv.set('a', Buffer.from('1'))
    await expect(kv.set('a', Buffer.from('2'), { ifVersion: null })).rejects.toThrow()
    expect(secondary.inner.native).toEqual(primary.inner.native)
  })

  test('a secondary that differs does not decide: the primary wins', async () => {
    const { kv, held, secondary } = setting()
    await keyValue(secondary.inner).set('a', Buffer.from('stray'))
    await kv.set('a', '1')
    expect(held()).toEqual([{ a: '1' }, { a: '1' }])
  })

  test('a primary that fails sends nothing to the secondary', async () => {
    const { kv, primary, secondary } = setting()
    primary.mood = 'failing'
    await expect(kv.set('a', '1')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(secondary.asked).toMatchObject({ read: 0, write: 0 })
  })

  test('an outcome that is unknown in the primary is looked at until it holds', async () => {
    const { kv, primary, both, held, equal } = setting()
    primary.mood = 'lost'
    await expect(kv.set('a', '1')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    primary.mood = 'well'
    expect(both.stats()).toMatchObject({ dirty: 1, unknownOutcomes: 1 })
    await equal()
    expect(held()).toEqual([{ a: '1' }, { a: '1' }])
  })
})

describe('writes of one key that meet', () => {
  test('the last one in the primary is the one that stays in the secondary', async () => {
    const { both, primary, secondary, equal } = setting()
    const value = (n: number): Bytes => Buffer.from(String(n))
    const write = (n: number) =>
      both.write(
        [
          {
            type: 'set',
            key: 'a',
            version: String(n).padStart(24, '0'),
            value: value(n),
            expiresAt: undefined,
          },
        ],
        callOptions(),
      )
    await Promise.all(Array.from({ length: 20 }, async (_, n) => write(n)))
    await equal()
    expect(secondary.inner.native.get('a')).toEqual(primary.inner.native.get('a'))
  })
})

test('errors that are none of this library leave the outcome unknown', async () => {
  const primary = memory()
  let throws = true
  const careless: Store<Bytes> = {
    ...primary,
    write: (mutations, call) => {
      const results = primary.write(mutations, call)
      if (throws) throw new TypeError('not an error of this library')
      return results
    },
  }
  const both = mirror(careless, memory({ name: 'second' }), { doubtMs: 1 })
  await expect(keyValue(both).set('a', Buffer.from('1'))).rejects.toSatisfy(isStoreError)
  throws = false
  while (both.stats().dirty > 0) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(both.secondary.native.get('a')?.value).toEqual(new Uint8Array([49]))
  expect(both.stats().unknownOutcomes).toBe(1)
})
