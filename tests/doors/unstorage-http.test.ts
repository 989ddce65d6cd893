import { createRequire } from 'node:module'
import { keyValue } from '@unikv/core'
import type { AnyKeyValue } from '@unikv/http'
import { listen } from '@unikv/http/node'
import { unstorage as serve } from '@unikv/http/unstorage'
import { afterAll, expect, test } from 'vitest'
import { onFourStores } from './four-stores.ts'

// The driver `http` of unstorage, over stores of other kinds.

const require = createRequire(import.meta.url)
// oxlint-disable-next-line no-explicit-any -- its types need those of the packages of all of its drivers
const { createStorage }: any = require('unstorage')
const httpDriver = require('unstorage/drivers/http')

const token = 'a-token-of-the-tests'
const served: Record<string, AnyKeyValue> = {}
const server = await listen(serve(() => served, { tokens: [{ name: 'tests', token, may: 'write' }] }))
afterAll(() => server.close())

onFourStores('unstorage_http', (store) => {
  const kv = keyValue(store)
  const name = `store_${Object.keys(served).length}`
  served[name] = kv
  const driver = httpDriver({ base: `${server.url}/${name}`, headers: { authorization: `Bearer ${token}` } })
  const storage = createStorage({ driver })

  test('has, gets, overwrites and removes', async () => {
    expect([await storage.hasItem('s1:a'), await storage.getItem('s1:a')]).toEqual([false, null])
    await storage.setItem('s1:a', 'first')
    await storage.setItem('s1/a', 'second')
    expect([await storage.hasItem('s1:a'), await storage.getItem('s1:a')]).toEqual([true, 'second'])
    expect(Buffer.from((await kv.get('s1:a')) as Uint8Array).toString()).toBe('second')
    await storage.removeItem('s1:a')
    await storage.removeItem('s1:a')
    expect(await storage.hasItem('s1:a')).toBe(false)
  })

  test('keeps objects, lists, numbers, booleans and odd characters', async () => {
    for (const value of [{ a: [1, { b: 'ä' }] }, [1, 'x'], 0, 5, true, false, '<b>&', 'text'])
      await storage.setItem('v', value).then(async () => expect(await storage.getItem('v')).toEqual(value))
    await storage.setItem('ä €:50%:x y', 1)
    expect(await storage.getItem('ä €:50%:x y')).toBe(1)
    expect(await kv.has('ä €:50%:x y')).toBe(true)
    await storage.removeItem('ä €:50%:x y')
  })

  test('keeps raw bytes as they are', async () => {
    await storage.setItemRaw('raw', new Uint8Array([0, 1, 254, 255]))
    expect(Array.from(new Uint8Array(await storage.getItemRaw('raw')))).toEqual([0, 1, 254, 255])
    expect(Array.from((await kv.get('raw')) as Uint8Array)).toEqual([0, 1, 254, 255])
    await storage.removeItem('raw')
  })

  test('tells when an item was written, and how long it lives', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000
    await storage.setItem('meta', 1, { ttl: 600 })
    const { mtime, ttl } = await storage.getMeta('meta')
    expect(ttl).toBeGreaterThan(500)
    expect(ttl).toBeLessThanOrEqual(600)
    expect((mtime as Date).getTime()).toBeGreaterThanOrEqual(before)
    await storage.setItem('meta', 1)
    expect((await storage.getMeta('meta')).ttl).toBeUndefined()
  })

  test('lists and clears a base, exactly, or all', async () => {
    await storage.clear()
    for (const key of ['s1:a', 's2:a', 's1:b:c', 's12:a']) await storage.setItem(key, 1)
    expect((await storage.getKeys()).sort()).toEqual(['s12:a', 's1:a', 's1:b:c', 's2:a'])
    expect((await storage.getKeys('s1')).sort()).toEqual(['s1:a', 's1:b:c'])
    expect(await storage.getKeys('s1', { maxDepth: 1 })).toEqual(['s1:a'])
    // unstorage itself clears whole mounts only.
    await driver.clear('s1:')
    expect((await storage.getKeys()).sort()).toEqual(['s12:a', 's2:a'])
    await storage.clear()
    expect(await storage.getKeys()).toEqual([])
  })
})
