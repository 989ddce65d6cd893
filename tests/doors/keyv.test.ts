import suite, { keyvIteratorTests } from '@keyv/test-suite'
import { keyValue, StoreError, text } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { structured } from '@unikv/core/structured'
import { keyvStore } from '@unikv/keyv'
import { memcached } from '@unikv/memcached'
import Keyv5, { type KeyvStoreAdapter } from 'keyv'
import OtherKeyv from 'keyv-6'
import * as vitest from 'vitest'
import { onFourStores } from './four-stores.ts'

const { describe, expect, test } = vitest
/** What these tests call has the same types. */
const Keyv6 = OtherKeyv as unknown as typeof Keyv5

onFourStores('keyv', (bytes) => {
  const kv = keyValue(bytes, [text()])
  const store = () => keyvStore(kv)

  describe('the suite of Keyv', () => {
    suite(vitest, Keyv5, store)
    keyvIteratorTests(vitest, Keyv5, store)
  })

  describe.each([
    ['5', Keyv5],
    ['6', Keyv6],
  ] as const)('Keyv %s', (version, Keyv) => {
    const keyv = (namespace?: string) =>
      new Keyv<unknown>({ store: store(), ...(namespace === undefined ? {} : { namespace }) })

    test('tells what a delete removed, and which', async () => {
      const users = keyv(`deletes${version}`)
      await users.set('a', 1)
      await users.set('b', 2)
      expect([await users.delete('a'), await users.delete('a')]).toEqual([true, false])
      expect(await users.deleteMany(['a', 'b'])).toEqual(version === '5' ? false : [false, true])
      expect([await users.has('b'), await users.get('b')]).toEqual([false, undefined])
    })

    test('of a key that is named twice the last value counts, and one delete', async () => {
      const users = keyv(`twice${version}`)
      await users.setMany([
        { key: 'a', value: 1 },
        { key: 'b', value: 2 },
        { key: 'a', value: 3 },
      ])
      expect(await users.getMany(['a', 'b', 'a'])).toEqual([3, 2, 3])
      const gone = await users.deleteMany(['a', 'b', 'a'])
      expect(gone).toEqual(version === '5' ? false : [true, true, false])
    })

    test('lists with an empty namespace what it has kept', async () => {
      const whole = kv.namespace(`whole${version}`)
      const users = new Keyv<unknown>({ store: keyvStore(whole), namespace: '' })
      await users.set('a', 1)
      const values: unknown[] = []
      for await (const [, value] of users.iterator?.(undefined) ?? []) values.push(value)
      expect(values).toEqual([1])
      await users.clear()
      expect(await users.get('a')).toBeUndefined()
    })

    test('clears its namespace, and not those whose names begin alike', async () => {
      const [a, ab, none] = [keyv('a'), keyv('ab'), keyv()]
      await Promise.all([a, ab, none].map((each) => each.set('key', 'kept')))
      await a.clear()
      expect(await Promise.all([a, ab, none].map((each) => each.get('key')))).toEqual([
        undefined,
        'kept',
        'kept',
      ])
    })

    test('gives records an expiry in the store, and removes it', async () => {
      const users = keyv('expiry')
      const key = `expiry${version === '5' ? ':' : '::'}a`
      await users.set('a', 1, 60_000.5)
      expect((await kv.head(key))?.expiresAt).toBeGreaterThan(Date.now() + 30_000)
      await users.setMany([{ key: 'a', value: 2 }])
      expect(await kv.head(key)).toMatchObject({ expiresAt: undefined })
    })
  })
})

test('what has expired when it is set removes what was there', async () => {
  const users = new Keyv5<unknown>({ store: keyvStore(keyValue(memory(), [text()])) })
  await users.set('a', 'old')
  expect(await users.set('a', 'new', -1)).toBe(true)
  expect(await users.get('a')).toBeUndefined()
})

test.each([Keyv5, Keyv6])('one record that cannot be read is an event, and hides no other', async (Keyv) => {
  const bytes = memory()
  const store = keyvStore(failingHas(keyValue(bytes, [text()])))
  const keyv = new Keyv<unknown>({ store, namespace: '' })
  const told: unknown[] = []
  keyv.on('error', (error: unknown) => told.push(error))
  await keyv.set('a', 1)
  await keyv.set('c', 3)
  await keyValue(bytes).set('b', Buffer.of(0xff))
  expect(await keyv.getMany(['a', 'b', 'c'])).toEqual([1, undefined, 3])
  expect(await keyv.hasMany(['a', 'b', 'c'])).toEqual([true, false, true])
  const listed: unknown[] = []
  for await (const [, value] of keyv.iterator?.(undefined) ?? []) listed.push(value)
  expect(listed).toEqual([1, 3])
  expect(told).toMatchObject([{ code: 'PARTIAL' }, { code: 'PARTIAL' }, { code: 'CORRUPT', key: 'b' }])
})

test('without a listener, or if nothing can be read, several reads reject', async () => {
  const bytes = memory()
  const store = keyvStore(failingHas(keyValue(bytes, [text()])))
  await keyValue(bytes).setMany([
    ['a', Buffer.from('1')],
    ['b', Buffer.of(0xff)],
  ])
  await expect(store.getMany(['a', 'b'])).rejects.toMatchObject({ code: 'PARTIAL' })
  await expect(store.hasMany(['a', 'b'])).rejects.toMatchObject({ code: 'PARTIAL' })
  const listing = store.iterator()
  expect((await listing.next()).value).toEqual(['a', '1'])
  await expect(listing.next()).rejects.toMatchObject({ code: 'CORRUPT' })
  store.on('error', () => {})
  await expect(store.getMany(['b'])).rejects.toMatchObject({ code: 'PARTIAL' })
  await expect(store.hasMany(['b'])).rejects.toMatchObject({ code: 'CORRUPT' })
})

/** Also `has` of the key `b` finds a record that is damaged. */
function failingHas<KV extends { has(key: string): Promise<boolean> }>(kv: KV): KV {
  const has = kv.has.bind(kv)
  const damaged = new StoreError('CORRUPT', 'The record is damaged.')
  return Object.assign(kv, { has: async (key: string) => (key === 'b' ? Promise.reject(damaged) : has(key)) })
}

test.each([Keyv5, Keyv6])('a failure of the store is an event, and an error by choice', async (Keyv) => {
  const kv = keyValue(memory(), [text()])
  await kv.close()
  const keyv = new Keyv<unknown>({ store: keyvStore(kv), throwOnErrors: true })
  const told: unknown[] = []
  keyv.on('error', (error: unknown) => told.push(error))
  await keyv.get('a').catch((error: unknown) => told.push(error))
  expect(told).toContainEqual(expect.objectContaining({ code: 'CLOSED' }))
})

test('to the compiler it is the adapter of Keyv 5 that cacheable takes, whatever the values are', () => {
  const stores = [
    keyvStore(keyValue(memory(), [text()])),
    keyvStore(keyValue(memory(), [structured<{ name: string }>()])),
    keyvStore(keyValue(memory())),
  ] as const
  const adapters: readonly KeyvStoreAdapter[] = stores
  for (const store of adapters) expect(new Keyv5({ store }).store).toBe(store)
})

test('a store that cannot list says what cannot be done without', async () => {
  const store = keyvStore(keyValue(memcached({ url: 'memcached://127.0.0.1:1' }), [text()]))
  await expect(store.clear()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})
