import { isStoreError, newVersion } from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import { expect, test } from 'vitest'
import { opened, quiet, same } from './opened.ts'
import { noise, revision } from './samples.ts'

test('a part that cannot be written leaves the value as it was, for certain', async () => {
  const { store, kv } = opened()
  await kv.set('key', revision(1))
  store.fate = ({ key }) => (isUserKey(key) ? undefined : 'lost')
  await expect(kv.set('key', revision(2))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(store.writes.at(-1)?.some(({ key }) => isUserKey(key))).toBe(false)
  store.fate = () => undefined
  expect(same(await kv.get('key'))).toEqual(same(revision(1)))
})

test('after a lost answer of the head nothing is removed, and the version tells what happened', async () => {
  const { store, kv } = opened({ maxDeltas: 1 })
  for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
  await quiet()
  const before = store.parts
  store.fate = ({ key }) => (isUserKey(key) ? 'lost' : undefined)
  const error: unknown = await kv.set('key', revision(4)).catch((caught: unknown) => caught)
  await expect(kv.delete('key')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  await quiet()
  expect(isStoreError(error) && error.code).toBe('OUTCOME_UNKNOWN')
  expect(store.parts).toEqual(expect.arrayContaining(before))
})

test('a plain set whose base was replaced is made anew, and whole in the end', async () => {
  const { store, kv, layer } = opened()
  const { kv: other } = opened({}, store)
  for (let n = 1; n < 3; n++) await kv.set('key', revision(n))
  await other.update('key', () => revision(3))
  await kv.set('key', revision(4))
  expect(same(await other.get('key'))).toEqual(same(revision(4)))
  expect(layer.stats()[0]).toMatchObject({ conflicts: 1, deltas: 1 })
  let n = 10
  store.beforeRead = async ([read]) => {
    // Whenever it looks, somebody is faster.
    if (n < 20 && read?.key === 'key')
      await store.inner.write([{ type: 'delete', key: 'key', version: newVersion() }], callOptions())
    n++
  }
  await other.set('key', revision(5))
  store.beforeRead = () => {}
  expect(same(await kv.get('key'))).toEqual(same(revision(5)))
})

test('a condition keeps its meaning, with the version that the store has', async () => {
  const { kv } = opened()
  const { version: first } = await kv.set('key', revision(1), { ifVersion: null })
  const { version: second } = await kv.set('key', revision(2), { ifVersion: first as string })
  await expect(kv.set('key', revision(3), { ifVersion: first as string })).rejects.toMatchObject({
    code: 'CONDITION_FAILED',
    version: second,
  })
  expect((await kv.getEntry('key'))?.version).toBe(second)
  await kv.delete('key', { ifVersion: second as string })
  expect(await kv.get('key')).toBeUndefined()
})

test('close waits for the removal of old parts', async () => {
  const { store, kv } = opened({ maxDeltas: 1 })
  for (let n = 1; n < 5; n++) await kv.set('key', revision(n))
  await kv.set('key', noise(1, 3000))
  await kv.close()
  expect(store.parts).toEqual([])
})

test('a background that throws changes nothing of what was written', async () => {
  const background = (): never => {
    throw new Error('The request is over.')
  }
  const { store, kv, layer } = opened({ maxDeltas: 1, background })
  for (let n = 1; n < 5; n++) await kv.set('key', revision(n))
  await kv.close()
  expect(same(await opened({}, store).kv.get('key'))).toEqual(same(revision(4)))
  expect(layer.stats()[0]?.partsRemoved).toBeGreaterThan(0)
})
