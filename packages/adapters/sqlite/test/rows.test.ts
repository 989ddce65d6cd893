import { keyValue } from '@unikv/core'
import { expect, test } from 'vitest'
import { newPath, opened, set } from './fresh.ts'

test('rows of others in the table are not listed, or are CORRUPT', async () => {
  const store = opened({ path: await newPath(), threads: 0 })
  await set(store, 'mine', '1')
  const insert = store.native.prepare('INSERT INTO unikv (k, version, value) VALUES (?, ?, ?)')
  for (let i = 0; i < 5; i++) insert.run([Buffer.of(0xff, i), Buffer.alloc(12), Buffer.alloc(1)])
  insert.run([Buffer.from('z'), Buffer.alloc(3), Buffer.alloc(1)])
  const kv = keyValue(store)
  const listed: string[] = []
  for await (const key of kv.keys({ pageSize: 2 })) listed.push(key)
  expect(listed).toEqual(['mine', 'z'])
  await expect(kv.get('z')).rejects.toMatchObject({ code: 'CORRUPT' })
})

test('expired rows go in the wake of writes that set an expiry', async () => {
  let now = Date.now()
  const store = opened({ path: await newPath(), threads: 0, clock: () => now })
  const kv = keyValue(store, [], { clock: () => now })
  for (let i = 0; i < 20; i++) await kv.set(`k${i}`, Buffer.from('v'), { ttlMs: 1_000 })
  now += 1_000
  const rows = (): unknown => store.native.prepare('SELECT count(*) FROM unikv').raw().get([])
  expect(await kv.get('k1')).toBeUndefined()
  expect(rows()).toEqual([20])
  await kv.set('new', Buffer.from('v'), { ttlMs: 1_000 })
  expect(rows()).toEqual([1])
})
