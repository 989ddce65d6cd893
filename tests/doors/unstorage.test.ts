import { createRequire } from 'node:module'
import { keyValue } from '@unikv/core'
import { memcached } from '@unikv/memcached'
import { unikvDriver } from '@unikv/unstorage'
import { expect, test } from 'vitest'
import { onFourStores } from './four-stores.ts'

const require = createRequire(import.meta.url)
// oxlint-disable-next-line no-explicit-any -- its types need those of the packages of all of its drivers
const unstorage: any = require('unstorage')
const { createStorage, prefixStorage, restoreSnapshot, snapshot } = unstorage

onFourStores('unstorage', (bytes) => {
  const kv = keyValue(bytes)
  /** A storage of its own for each test. */
  const storageOf = (name: string) => createStorage({ driver: unikvDriver(kv.namespace(name)) })

  test('begins without keys', async () => {
    expect(await storageOf('empty').getKeys()).toEqual([])
  })

  test('has, gets, overwrites and removes', async () => {
    const storage = storageOf('items')
    expect([await storage.hasItem('s1:a'), await storage.getItem('s1:a')]).toEqual([false, null])
    await storage.setItem('s1:a', 'first')
    await storage.setItem('s1:a', 'second')
    expect([await storage.hasItem('s1:a'), await storage.getItem('s1:a')]).toEqual([true, 'second'])
    await storage.removeItem('s1:a')
    await storage.removeItem('s1:a')
    expect(await storage.hasItem('s1:a')).toBe(false)
  })

  test('keeps objects, lists, numbers, booleans and null', async () => {
    const storage = storageOf('values')
    for (const value of [{ a: [1, { b: 'ä' }] }, [1, 'x'], 5, true, false, null, ''])
      await storage.setItem('v', value).then(async () => expect(await storage.getItem('v')).toEqual(value))
    await storage.setItem('date', { toJSON: () => ({ made: 'by toJSON' }) })
    expect(await storage.getItem('date')).toEqual({ made: 'by toJSON' })
    await storage.setItem('v', undefined)
    expect(await storage.hasItem('v')).toBe(false)
  })

  test('lists the keys of a base, and of a depth', async () => {
    const storage = storageOf('keys')
    for (const key of ['s1:a', 's2:a', 's3:a', 's1:te', 's1:b:c', 's12:a']) await storage.setItem(key, 1)
    expect((await storage.getKeys()).sort()).toEqual(['s12:a', 's1:a', 's1:b:c', 's1:te', 's2:a', 's3:a'])
    expect((await storage.getKeys('s1')).sort()).toEqual(['s1:a', 's1:b:c', 's1:te'])
    expect((await storage.getKeys('s1', { maxDepth: 1 })).sort()).toEqual(['s1:a', 's1:te'])
  })

  test.each(['s1', 's1:'])('the base %s of the driver itself ends at a part of the key', async (base) => {
    const driver = unikvDriver(kv.namespace(`bases${base}`))
    for (const key of ['s1:a', 's1:b:c', 's12:a']) await driver.setItem(key, '1')
    expect((await driver.getKeys(base)).sort()).toEqual(['s1:a', 's1:b:c'])
    await driver.clear(base)
    expect(await driver.getKeys()).toEqual(['s12:a'])
  })

  test('gets and sets several', async () => {
    const storage = storageOf('many')
    await storage.setItems([
      { key: 'a', value: { n: 1 } },
      { key: 'b', value: 'two', options: { ttl: 600 } },
    ])
    expect(await storage.getItems(['b', 'absent', 'a'])).toEqual([
      { key: 'b', value: 'two' },
      { key: 'absent', value: null },
      { key: 'a', value: { n: 1 } },
    ])
    expect((await storage.getMeta('b'))['ttl']).toBeGreaterThan(300)
    expect((await storage.getMeta('a'))['ttl']).toBeUndefined()
  })

  test('of a key that is named twice the last value counts; a ttl of 0 is none', async () => {
    const storage = storageOf('twice')
    await storage.setItems([
      { key: 'a/b', value: 1, options: { ttl: 600 } },
      { key: 'a:b', value: 2, options: { ttl: 0 } },
    ])
    expect(await storage.getItem('a:b')).toBe(2)
    expect((await storage.getMeta('a:b'))['ttl']).toBeUndefined()
  })

  test('refuses text that would come back as another one', async () => {
    const storage = storageOf('surrogates')
    const refused = { code: 'INVALID_VALUE' }
    await expect(storage.setItem('a', 'x\ud800')).rejects.toMatchObject(refused)
    await expect(storage.setItemRaw('a', 'x\ud800')).rejects.toMatchObject(refused)
    await expect(storage.setItems([{ key: 'a', value: () => 1 }])).rejects.toMatchObject(refused)
    expect(await storage.hasItem('a')).toBe(false)
  })

  test.each([
    ['bytes', new Uint8Array([0, 1, 254, 255]).subarray(1)],
    ['a Buffer', Buffer.from('ä')],
    ['an ArrayBuffer', new Uint8Array([9, 8]).buffer],
    ['text', 'base64:text'],
  ])('keeps raw %s as they are', async (_, value) => {
    const storage = storageOf('raw')
    await storage.setItemRaw('r', value)
    const read = await storage.getItemRaw('r')
    expect(Buffer.compare(read, Buffer.from(value as Uint8Array))).toBe(0)
    expect((await kv.namespace('raw').get('r'))?.length).toBe(read.length)
    expect(await storage.getItemRaw('absent')).toBeNull()
    await expect(storage.setItemRaw('r', { an: 'object' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  test('lets items expire, tells when, and removes the expiry', async () => {
    const storage = storageOf('expiry')
    await storage.setItem('a', 1, { ttl: 600 })
    const { ttl } = await storage.getMeta('a')
    expect(ttl).toBeLessThanOrEqual(601)
    expect(ttl).toBeGreaterThan(300)
    await storage.setItem('a', 1)
    expect((await storage.getMeta('a')).ttl).toBeUndefined()
    expect({ ...(await storage.getMeta('absent')) }).toEqual({})
    await storage.setItemRaw('short', 'x', { ttl: 0.2 })
    await expect.poll(async () => storage.hasItem('short'), { timeout: 60_000 }).toBe(false)
  })

  test('keeps meta of the user beside an item', async () => {
    const storage = storageOf('meta')
    await storage.setItem('a', 1)
    await storage.setMeta('a', { mtime: new Date(5000), owner: 'ada' })
    expect({ ...(await storage.getMeta('a')) }).toEqual({ mtime: new Date(5000), owner: 'ada' })
    await storage.removeItem('a', { removeMeta: true })
    expect({ ...(await storage.getMeta('a')) }).toEqual({})
  })

  test('clears a base, exactly, or all', async () => {
    const storage = storageOf('clear')
    for (const key of ['a:1', 'a:b:2', 'ab:3', 'c']) await storage.setItem(key, 1)
    // unstorage 1.17 itself clears whole mounts only.
    await unikvDriver(kv.namespace('clear')).clear('a:')
    expect((await storage.getKeys()).sort()).toEqual(['ab:3', 'c'])
    await storage.clear()
    expect(await storage.getKeys()).toEqual([])
  })

  test('is mounted beside others, and tells watchers', async () => {
    const storage = createStorage().mount('store', unikvDriver(kv.namespace('mounted')))
    const told: unknown[] = []
    await storage.watch((event: string, key: string) => told.push([event, key]))
    await storage.setItem('store:a', 1)
    await storage.setItem('elsewhere', 2)
    await storage.removeItem('store:a')
    expect(told).toEqual([
      ['update', 'store:a'],
      ['update', 'elsewhere'],
      ['remove', 'store:a'],
    ])
    const users = prefixStorage(storage, 'store:users')
    await users.setItem('ada', { age: 36 })
    expect([await users.getKeys(), await storage.getKeys('store')]).toEqual([['ada'], ['store:users:ada']])
    expect(await snapshot(storage, 'store')).toEqual({ 'users:ada': { age: 36 } })
    await restoreSnapshot(storage, { bob: '1' }, 'store')
    expect(await kv.namespace('mounted').has('bob')).toBe(true)
  })
})

test('dispose closes; a store that cannot list says so', async () => {
  const kv = keyValue(memcached({ url: 'memcached://127.0.0.1:1' }))
  const driver = unikvDriver(kv)
  expect(driver.getInstance()).toBe(kv)
  await expect(driver.getKeys()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  await expect(driver.clear()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  await createStorage({ driver }).dispose()
  await expect(driver.getItem('a')).rejects.toMatchObject({ code: 'CLOSED' })
})
