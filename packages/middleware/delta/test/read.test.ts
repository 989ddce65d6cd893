import { isStoreError, newVersion } from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import { expect, test } from 'vitest'
import { opened, quiet, same } from './opened.ts'
import { revision } from './samples.ts'
import { Watched } from './watched.ts'

test('a value that is known moves nothing, and a newer one of a known chain its head alone', async () => {
  const { store, kv, layer } = opened()
  for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
  const { kv: other, layer: otherLayer } = opened({}, store)
  await other.get('key')
  store.forget()
  expect(same(await other.get('key'))).toEqual(same(revision(3)))
  expect(otherLayer.stats()[0]).toMatchObject({ unchanged: 1, chainsRead: 1, chainsKnown: 0 })
  await kv.set('key', revision(4))
  expect(same(await other.get('key'))).toEqual(same(revision(4)))
  expect(store.reads.flat().every(({ key }) => key === 'key')).toBe(true)
  expect(otherLayer.stats()[0]).toMatchObject({ chainsRead: 2, chainsKnown: 1 })
  expect(JSON.stringify(layer.stats())).not.toContain('key"')
})

test('a reader whose parts went begins anew', async () => {
  const { store, kv } = opened({ maxDeltas: 1, inlineBytes: 0 })
  for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
  const { kv: reader, layer } = opened({}, store)
  let isFirst = true
  store.beforeRead = async (reads) => {
    if (!isFirst || isUserKey(reads[0]?.key as string)) return
    isFirst = false
    for (let n = 4; n < 8; n++) await kv.set('key', revision(n))
    await quiet()
  }
  expect(same(await reader.get('key'))).toEqual(same(revision(7)))
  expect(layer.stats()[0]).toMatchObject({ overtaken: 1 })
})

test.each([
  ['linearizable', 'CORRUPT'],
  ['eventual', 'UNAVAILABLE'],
] as const)('a part that is missing under a head that stays is an error: %s, %s', async (isolation, code) => {
  const store = new Watched({}, { isolation })
  const { kv } = opened({}, store)
  for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
  for (const key of store.parts)
    await store.write([{ type: 'delete', key, version: newVersion() }], callOptions())
  const { kv: reader } = opened({}, store)
  await expect(reader.get('key')).rejects.toMatchObject({ code })
  await reader.set('key', revision(9))
  expect(same(await reader.get('key'))).toEqual(same(revision(9)))
})

test('a value that was there before the layer is CORRUPT, unless it is accepted', async () => {
  const store = new Watched()
  await store.write([{ type: 'set', key: 'key', version: newVersion(), value: revision(1) }], callOptions())
  await expect(opened({}, store).kv.get('key')).rejects.toMatchObject({ code: 'CORRUPT' })
  const { kv } = opened({ acceptPlain: true }, store)
  expect(same(await kv.get('key'))).toEqual(same(revision(1)))
  await kv.set('key', revision(2))
  expect(same(await opened({}, store).kv.get('key'))).toEqual(same(revision(2)))
})

test('an empty value in the place of one that is known is read by everybody', async () => {
  const { store, kv } = opened({ minBytes: 0 })
  await kv.set('key', revision(1))
  await kv.set('key', new Uint8Array())
  expect(same(await kv.get('key'))).toEqual(Buffer.alloc(0))
  expect(same(await opened({}, store).kv.get('key'))).toEqual(Buffer.alloc(0))
})

test.each(['whole', 'of a chain', 'that shrank'])(
  'a value over maxOutputBytes is refused: %s',
  async (which) => {
    const { store, kv } = opened()
    await kv.set('key', revision(1))
    if (which !== 'whole') await kv.set('key', revision(2))
    if (which === 'that shrank') await kv.set('key', revision(3).subarray(0, 1500))
    const { kv: reader } = opened({ maxOutputBytes: which === 'that shrank' ? 1500 : 2000 }, store)
    await expect(reader.get('key')).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
  },
)

test('hostile records are refused, and nothing is allocated for what they promise', async () => {
  const store = new Watched()
  const { kv } = opened({ maxOutputBytes: 1_000_000 }, store)
  const hostile = [
    [0xf9],
    [0xf9, 1],
    [0xf9, 2],
    [0xf9, 3, 1, 2, 3],
    [0xf9, 2, ...Array.from({ length: 50 }, () => 0), 0xff, 0xff, 0xff, 0xff, 0x0f],
    [0xf9, 2, ...Array.from({ length: 50 }, () => 0), 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f],
    [0xf9, 2, ...Array.from({ length: 50 }, () => 0), 1, 0x80, 0x80, 0x80, 0x01, 1, 0, 0],
  ]
  for (const value of hostile) {
    const mutation = {
      type: 'set',
      key: 'key',
      version: newVersion(),
      value: Uint8Array.from(value),
    } as const
    await store.write([mutation], callOptions())
    const before = process.memoryUsage().arrayBuffers
    await expect(kv.get('key')).rejects.toSatisfy(
      (error: unknown) => isStoreError(error) && ['CORRUPT', 'VALUE_TOO_LARGE'].includes(error.code),
    )
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000)
  }
})

test.each([false, true])('listings show every value and no part, in a namespace: %s', async (isInside) => {
  const { store, kv } = opened({ inlineBytes: 0 })
  const open = (root: typeof kv) => (isInside ? root.namespace('inside') : root)
  for (const key of ['a', 'b']) for (const n of [1, 2, 3]) await open(kv).set(key, revision(n))
  expect(store.parts).toHaveLength(4)
  const fresh = open(opened({}, store).kv)
  const keys: string[] = []
  for await (const key of fresh.keys()) keys.push(key)
  expect(keys).toEqual(['a', 'b'])
  const entries: [string, Buffer | undefined][] = []
  for await (const [key, { value }] of fresh.entries()) entries.push([key, same(value)])
  expect(entries).toEqual(keys.map((key) => [key, same(revision(3))]))
})
