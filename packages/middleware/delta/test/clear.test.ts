import { type Bytes, compose, type Mutation, newVersion } from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import { expect, test } from 'vitest'
import { delta } from '../src/index.ts'
import { opened, quiet, same } from './opened.ts'
import { noise, revision } from './samples.ts'

const keys = Array.from({ length: 5 }, (_, i) => `key ${i}`)
const removal = (key: string): Mutation<Bytes> => ({ type: 'delete', key, version: newVersion() })

/** Keys with chains of several parts each. */
async function withChains() {
  const all = opened({ inlineBytes: 0 })
  for (const key of keys) for (const n of [1, 2, 3]) await all.kv.set(key, revision(n))
  expect(all.store.parts).toHaveLength(3 * keys.length - keys.length)
  return all
}

test('clear takes parts along, those that no head names too', async () => {
  const { store, kv } = opened({ inlineBytes: 0 })
  for (let n = 1; n < 4; n++) await kv.namespace('inside').set('key', revision(n))
  for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
  // A program that knows nothing of it writes whole.
  await opened({}, store).kv.set('key', noise(1, 10))
  await quiet()
  const before = store.parts.length
  expect(before).toBe(4)
  expect(await kv.namespace('inside').clear({ all: true })).toBe(1)
  await quiet()
  expect(store.parts.length).toBe(2)
  await kv.clear({ all: true })
  await quiet()
  expect(store.inner.native.size).toBe(0)
})

test('a clear that fails in the middle leaves values that can be read', async () => {
  const { store, kv } = await withChains()
  store.fate = ({ key, type }) => (type === 'delete' && isUserKey(key) ? 'refused' : undefined)
  await expect(kv.clear({ all: true })).rejects.toMatchObject({ code: 'PARTIAL', done: 0 })
  await quiet()
  const fresh = opened({}, store).kv
  expect((await fresh.getMany(keys)).map(same)).toEqual(keys.map(() => same(revision(3))))
  store.fate = () => undefined
  await kv.clear({ all: true })
  await quiet()
  expect(store.inner.native.size).toBe(0)
})

test('a part that is deleted from above stays while its key has a head, and goes with it', async () => {
  const { store } = await withChains()
  const { parts } = store
  const layer = delta()
  const stack = compose(store, [layer])
  expect(await stack.write(parts.map(removal), callOptions())).toEqual(
    parts.map(() => ({ version: expect.any(String) as string })),
  )
  expect(store.parts).toEqual(parts)
  expect((await opened({}, store).kv.getMany(keys)).map(same)).toEqual(keys.map(() => same(revision(3))))
  await stack.write(keys.map(removal), callOptions())
  await quiet()
  expect(store.parts).toEqual([])
  expect(layer.stats()[0]).toMatchObject({ partsRemoved: parts.length, partsLeft: 0 })
})

test('a part whose head cannot be looked at stays', async () => {
  const { store } = await withChains()
  store.beforeRead = () => Promise.reject(new Error('no answer'))
  const { parts } = store
  await compose(store, [delta()]).write(parts.map(removal), callOptions())
  expect(store.parts).toEqual(parts)
})

test('a part without a head goes at once', async () => {
  const { store } = await withChains()
  for (const key of keys) await store.inner.write([removal(key)], callOptions())
  const layer = delta()
  await compose(store, [layer]).write(store.parts.map(removal), callOptions())
  expect(store.parts).toEqual([])
})
