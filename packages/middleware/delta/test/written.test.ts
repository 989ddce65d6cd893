import { keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { expect, test } from 'vitest'
import { delta } from '../src/index.ts'
import { opened, quiet, same } from './opened.ts'
import { noise, revision } from './samples.ts'
import { Watched } from './watched.ts'

test('a new value is one record, 6 bytes longer than itself', async () => {
  const { store, kv } = opened()
  await kv.set('key', revision(1))
  expect(store.writes.flat()).toHaveLength(1)
  expect(store.writtenBytes).toBe(revision(1).length + 6)
  expect(store.reads).toHaveLength(0)
})

test('an update of a value that has a base is one write of what changed', async () => {
  const { store, kv, layer } = opened()
  for (const n of [1, 2]) await kv.set('key', revision(n))
  store.forget()
  for (const n of [3, 4, 5]) {
    await kv.set('key', revision(n))
    expect(store.writes).toHaveLength(n - 2)
  }
  expect(store.reads).toHaveLength(0)
  expect(store.writtenBytes).toBeLessThan(revision(1).length / 2)
  expect(same(await kv.get('key'))).toEqual(same(revision(5)))
  expect(layer.stats()).toMatchObject([{ wholes: 1, bases: 1, deltas: 3, conflicts: 0 }])
})

test('deltas that outgrow inlineBytes move to one record, and the chain to a new base after maxDeltas', async () => {
  const { store, kv } = opened({ inlineBytes: 60, maxDeltas: 6 })
  const parts: number[] = []
  for (let n = 1; n <= 10; n++) {
    await kv.set('key', revision(n))
    await quiet()
    parts.push(store.parts.length)
  }
  expect(parts[0]).toBe(0)
  expect(parts[1]).toBe(1)
  expect(Math.max(...parts)).toBeGreaterThan(2)
  expect(parts[8]).toBe(1)
  expect(same(await kv.get('key'))).toEqual(same(revision(10)))
})

test('values below minBytes, unrelated ones, and those under a key too long for internal keys are whole', async () => {
  const store = new Watched({}, { maxKeyBytes: 100 })
  const { kv, layer } = opened({}, store)
  const long = 'k'.repeat(80)
  for (const n of [1, 2, 3]) {
    await kv.set('small', revision(n).slice(0, 500))
    await kv.set('unrelated', noise(n, 3000))
    await kv.set(long, revision(n))
  }
  expect(layer.stats()[0]).toMatchObject({ wholes: 9, bases: 0, deltas: 0 })
  expect(store.parts).toEqual([])
})

test('values that never have anything in common are compared one time in eight', async () => {
  const { kv, layer } = opened()
  for (let n = 0; n < 60; n++) await kv.set('key', noise(n, 2000))
  for (let n = 0; n < 20; n++) await kv.set('key', revision(n))
  expect(layer.stats()[0]?.bases).toBe(1)
  expect(layer.stats()[0]?.deltas).toBeGreaterThan(8)
})

test('values longer than maxReplayBytes, and deltas that find no room beside a base, need no base', async () => {
  const { store, kv, layer } = opened({ maxReplayBytes: 2000 })
  const { kv: narrow } = opened({ maxChainShare: 0.001 }, store)
  for (let n = 0; n < 4; n++) await kv.set('long', revision(n))
  for (let n = 0; n < 4; n++) await narrow.set('narrow', revision(n))
  expect(layer.stats()[0]).toMatchObject({ wholes: 4, bases: 0 })
  expect(store.parts).toEqual([])
})

test('a value that is replaced by an unrelated one, or deleted, leaves no part behind', async () => {
  const { store, kv } = opened({ inlineBytes: 0 })
  for (const key of ['a', 'b']) for (let n = 1; n < 5; n++) await kv.set(key, revision(n))
  expect(store.parts.length).toBeGreaterThan(4)
  await kv.set('a', noise(1, 3000))
  await keyValue(store, [delta()]).delete('b')
  await quiet()
  expect(store.parts).toEqual([])
  expect(await kv.get('b')).toBeUndefined()
})

test('a batch takes as many requests as one of its items', async () => {
  const { store, kv } = opened({ inlineBytes: 0 })
  const keys = Array.from({ length: 50 }, (_, i) => `key ${i}`)
  const write = (n: number) => kv.setMany(keys.map((key) => [key, revision(n)]))
  for (const n of [1, 2]) await write(n)
  store.forget()
  await write(3)
  expect(store.writes.map((batch) => batch.length)).toEqual([50, 50])
  const fresh = keyValue(store, [delta()])
  store.forget()
  expect((await fresh.getMany(keys)).map(same)).toEqual(keys.map(() => same(revision(3))))
  expect(store.reads.map((batch) => batch.length)).toEqual([50, 100])
})

test('a value is as it was when it was given, whatever becomes of the bytes', async () => {
  const { kv } = opened()
  const value = revision(1)
  await kv.set('key', value)
  value.fill(0)
  const next = revision(2)
  const writing = kv.set('key', next)
  next.fill(0)
  await writing
  expect(same(await kv.get('key'))).toEqual(same(revision(2)))
  const got = (await kv.get('key')) as Uint8Array
  got.fill(0)
  expect(same(await kv.get('key'))).toEqual(same(revision(2)))
})

test('over a store that applies deltas, too, values that have nothing in common are compared one time in eight', async () => {
  const { kv, layer } = opened({}, new Watched({}, { deltas: true }))
  for (let n = 0; n < 12; n++) await kv.set('key', noise(n, 2000))
  for (let n = 0; n < 2; n++) await kv.set('key', revision(n))
  expect(layer.stats()[0]).toMatchObject({ sent: 0, wholes: 14 })
  for (let n = 2; n < 12; n++) await kv.set('key', revision(n))
  expect(layer.stats()[0]?.sent).toBeGreaterThan(4)
})

test.each([
  { maxChainShare: 10, inlineBytes: 1_000_000 },
  { maxChainShare: 10, inlineBytes: 0 },
])('no record is longer than the store takes: %o', async (options) => {
  const maxValueBytes = revision(1, 22).length + 100
  const { store, kv, layer } = opened(
    { ...options, maxDeltas: 1024, maxReplayBytes: 10_000_000 },
    new Watched({}, { maxValueBytes }),
  )
  for (let n = 1; n < 120; n++) await kv.set('key', revision(n, 22))
  expect(same(await opened({}, store).kv.get('key'))).toEqual(same(revision(119, 22)))
  expect(
    Math.max(...store.writes.flat().map((one) => ('value' in one ? one.value.length : 0))),
  ).toBeGreaterThan(500)
  expect(layer.stats()[0]?.bases).toBeGreaterThan(1)
})

test('a value that the store takes whole is written whole where a head of a chain is too long for it', async () => {
  const { store, kv, layer } = opened(
    { minBytes: 0, maxDeltaShare: 1 },
    new Watched({}, { maxValueBytes: 56 }),
  )
  for (const word of ['one', 'two', 'ten']) await kv.set('key', Buffer.from(`${'same '.repeat(9)}${word}`))
  expect(Buffer.from((await opened({}, store).kv.get('key')) as Uint8Array).toString()).toContain('ten')
  expect(layer.stats()[0]).toMatchObject({ wholes: 3, bases: 0 })
  expect(store.parts).toEqual([])
})

test('a value that was there before the layer is not sent as a delta of what the layer would have written', async () => {
  const store = new Watched({}, { deltas: true })
  const before = { type: 'set', key: 'key', version: newVersion(), value: revision(1) } as const
  await store.inner.write([before], callOptions())
  const { kv, layer } = opened({ acceptPlain: true }, store)
  await kv.update('key', () => revision(2))
  expect(store.writes.flat().filter((one) => one.type === 'set' && one.facts !== undefined)).toEqual([])
  expect(same(await opened({}, store).kv.get('key'))).toEqual(same(revision(2)))
  await kv.update('key', () => noise(1, 2000))
  await kv.update('key', () => noise(1, 2000).fill(0, 0, 9))
  expect(layer.stats()[0]).toMatchObject({ sent: 1 })
})
