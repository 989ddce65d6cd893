import { compose, json, keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { readHeader } from '../../src/envelope/envelope.ts'
import { encryption, kmsKeys } from '../../src/index.ts'
import { decodeWrappedKeys } from '../../src/keys/wrapped-keys.ts'
import { changed, keys as plainKeys } from '../records.ts'
import { dataset, held, plant } from '../stored.ts'
import { entries, opened } from './opened.ts'

describe('data keys of a service', () => {
  test('seal and open; the store holds the wrapped key, another process unwraps it', async () => {
    const { kms, store, users } = opened()
    await users.set('ada', { name: 'Ada' })
    expect(await users.get('ada')).toEqual({ name: 'Ada' })
    expect(kms.calls).toEqual({ generate: 1, encrypt: 0, decrypt: 0 })
    const header = readHeader(held(store, 'ada'))
    expect(header).toMatchObject({ keyringId: 'main', keyId: 'kms', flags: 0x20 })
    expect(decodeWrappedKeys(header.wrapped as Buffer)).toMatchObject([{ providerId: 'local' }])
    const elsewhere = kmsKeys({ providers: kms })
    const other = keyValue(store, [json(), encryption({ dataset, keys: elsewhere })])
    expect(await other.get('ada')).toEqual({ name: 'Ada' })
    expect(kms.calls.decrypt).toBe(1)
    expect(kms.contexts).toEqual([{ 'unikv:dataset': 'users' }, { 'unikv:dataset': 'users' }])
  })

  test('a batch needs one call; so do many writes at once, and the reads of what they wrote', async () => {
    const { kms, store, users } = opened()
    await Promise.all(entries(50).map(([key, value]) => users.set(key, value)))
    await users.setMany(entries(50, 50))
    expect(kms.calls.generate).toBe(1)
    const other = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: kms }) })])
    expect(await Promise.all(entries(100).map(([key]) => other.get(key)))).toHaveLength(100)
    const third = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: kms }) })])
    expect(await third.getMany(entries(100).map(([key]) => key))).toHaveLength(100)
    expect(kms.calls.decrypt).toBe(2)
  })

  test('declare that nothing is at hand, and leave room for the wrapped keys', () => {
    const { keys, store } = opened()
    const { capabilities } = compose(store, [encryption({ dataset, keys })])
    expect(capabilities.sync).toBe('none')
    expectTypeOf(capabilities.sync).toEqualTypeOf<'none'>()
    const { maxValueBytes } = compose(store, [encryption({ dataset, keys: plainKeys })]).capabilities
    // `kms` is a byte longer than `k1`.
    expect(maxValueBytes - capabilities.maxValueBytes).toBe(4096 + 1)
  })

  test('deleting, touching and scanning keys ask nothing', async () => {
    const { kms, users } = opened()
    kms.before = () => Promise.reject(new Error('not asked'))
    await users.delete('ada')
    expect(await users.touch('ada', { ttlMs: 1000 })).toBe(false)
    expect(await users.count()).toBe(0)
    expect(kms.calls).toEqual({ generate: 0, encrypt: 0, decrypt: 0 })
  })

  test('scan opens what it brings, a data key a page or less', async () => {
    const { kms, store, users } = opened({ maxMessages: 3 })
    for (const [key, value] of entries(12)) await users.set(key, value)
    const other = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: kms }) })])
    const found: unknown[] = []
    for await (const [, { value }] of other.entries({ pageSize: 5 })) found.push(value)
    expect(found.toSorted((a, b) => Number(a) - Number(b))).toEqual(entries(12).map(([, value]) => value))
    expect(kms.calls).toMatchObject({ generate: 4, decrypt: 4 })
  })
})

describe('a data key', () => {
  test('seals no more messages and bytes, and no longer, than it may', async () => {
    const { kms, time, users } = opened({ maxMessages: 10, maxBytes: 1000, maxAgeMs: 5000 })
    for (const [key, value] of entries(10)) await users.set(key, value)
    expect(kms.calls.generate).toBe(1)
    await users.set('eleventh', 1)
    expect(kms.calls.generate).toBe(2)
    await users.set('large', 'x'.repeat(1000))
    expect(kms.calls.generate).toBe(3)
    time.now += 4999
    await users.set('large 2', 'x'.repeat(1000))
    expect(kms.calls.generate).toBe(4)
    time.now += 4999
    await users.set('small', '')
    expect(kms.calls.generate).toBe(5)
    time.now += 5000
    await users.set('old', 1)
    expect(kms.calls.generate).toBe(6)
    await users.setMany(entries(25))
    expect(kms.calls.generate, 'a larger batch has one of its own').toBe(7)
  })

  test('is unwrapped again after its age, and when memory holds others', async () => {
    const { kms, time, store, users } = opened({ maxMessages: 1 })
    for (const [key, value] of entries(4)) await users.set(key, value)
    const keys = kmsKeys({ providers: kms, maxKeys: 2, maxAgeMs: 100, clock: () => time.now })
    const other = keyValue(store, [json(), encryption({ dataset, keys })])
    const read = async (...keysOf: string[]) => {
      for (const key of keysOf) await other.get(key)
      return kms.calls.decrypt
    }
    expect(await read('user 0', 'user 1', 'user 0')).toBe(2)
    expect(await read('user 2', 'user 0')).toBe(3)
    expect(await read('user 1')).toBe(4)
    time.now += 100
    expect(await read('user 1')).toBe(5)
    keys.forget()
    expect(await read('user 1')).toBe(6)
  })

  test('never serves another dataset, cipher or context', async () => {
    const { kms, keys, store } = opened()
    const stacks = [
      encryption({ dataset: 'a', keys }),
      encryption({ dataset: 'b', keys }),
      encryption({ dataset: 'a', keys, algorithm: 'aes-128-gcm' }),
      encryption({ dataset: 'a', keys, algorithm: 'aes-256-gcm' }),
    ].map((layer) => keyValue(store, [json(), layer]))
    for (const [i, stack] of stacks.entries()) await stack.set(`key ${i}`, i)
    expect(kms.calls.generate).toBe(3)
    const moved = changed(held(store, 'key 2'), (copy) => copy.writeUInt8(1, 5))
    await plant(store, 'key 2', moved)
    await expect(stacks[0]?.get('key 2')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    const tenant = kmsKeys({ providers: kms, context: { tenant: '7' } })
    const other = keyValue(store, [json(), encryption({ dataset: 'a', keys: tenant })])
    await expect(other.get('key 0')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
  })
})

test('a write of no values, and one that is refused, ask nothing and seal nothing', async () => {
  const { kms, store, keys } = opened()
  const stack = compose(store, [encryption({ dataset, keys })])
  const set = { type: 'set', key: 'ada', version: newVersion(), value: 'text' as never } as const
  expect(await stack.write([set], callOptions())).toMatchObject([{ code: 'INVALID_VALUE' }])
  expect(kms.calls.generate).toBeLessThanOrEqual(1)
  expect(store.native.size).toBe(0)
})
