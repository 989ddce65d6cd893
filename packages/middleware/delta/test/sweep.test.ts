import { compose, keyValue, newVersion } from '@unikv/core'
import { callOptions, internalKey, isUserKey } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { delta, sweepDeltas } from '../src/index.ts'
import { noise, revision } from './samples.ts'
import { Watched } from './watched.ts'

const partsOf = (store: MemoryStore): string[] =>
  Array.from(store.native.keys()).filter((key) => key.startsWith('\u0000d'))
/** After what was written until now: tests that share this process may have made versions with a clock that is ahead. */
const later = (ms: number) => () => Number.parseInt(newVersion().slice(0, 12), 16) + ms

/** What writes all that a store holds. */
const setsOf = (store: MemoryStore) =>
  Array.from(
    store.native,
    ([key, { value, version }]) => ({ type: 'set', key, value, version: version as string }) as const,
  )

/** A key with a chain, and the parts of one that was replaced by a writer who did not know it. */
async function withOrphans() {
  const store = memory()
  const kv = keyValue(store, [delta({ inlineBytes: 0 })])
  for (const key of ['alive', 'replaced', 'damaged'])
    for (let n = 1; n < 4; n++) await kv.set(key, revision(n))
  await keyValue(store, [delta()]).set('replaced', noise(1, 2000))
  return { store, kv }
}

test('a sweep removes the parts that no head names, once they are old enough', async () => {
  const { store, kv } = await withOrphans()
  expect(partsOf(store)).toHaveLength(6)
  expect(await sweepDeltas(store)).toEqual({ parts: 6, removed: 0, left: 2 })
  expect(await sweepDeltas(store, { clock: later(3_600_100) })).toEqual({ parts: 6, removed: 2, left: 0 })
  expect(await sweepDeltas(store, { clock: later(3_600_100) })).toEqual({ parts: 4, removed: 0, left: 0 })
  expect(Buffer.from((await kv.get('alive')) as Uint8Array)).toEqual(Buffer.from(revision(3)))
})

test('a sweep removes nothing of a head that it cannot understand, and no record of other layers', async () => {
  const { store } = await withOrphans()
  const others = [internalKey('delta', 'alive', 'other'), internalKey('marker', 'alive')]
  const write = (key: string) =>
    store.write([{ type: 'set', key, version: newVersion(), value: Buffer.from('other') }], callOptions())
  for (const key of ['damaged', ...others]) await write(key)
  expect(await sweepDeltas(store, { clock: later(9e9) })).toEqual({ parts: 6, removed: 2, left: 2 })
  expect(Array.from(store.native.keys())).toEqual(expect.arrayContaining(others))
})

test('a sweep of a stack that is not what the layer stands on removes nothing', async () => {
  const { store } = await withOrphans()
  const disguised = compose(store, [])
  const wrong = {
    ...disguised,
    read: () =>
      Array.from({ length: 1000 }, () => ({
        value: Buffer.from('sealed'),
        version: newVersion(),
        expiresAt: undefined,
      })),
  }
  expect(await sweepDeltas(wrong, { clock: later(9e9) })).toMatchObject({ removed: 0 })
})

test('a sweep of a store that cannot list is refused', async () => {
  const store = { ...memory(), capabilities: { ...memory().capabilities, scan: false as const } }
  await expect(sweepDeltas(store as never)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})

test('a sweep gives a store no more than it takes at once', async () => {
  const store = new Watched()
  const batch = { ...store.capabilities.batch, maxItems: 2 }
  const kv = keyValue(store, [delta({ inlineBytes: 0 })])
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    for (let n = 1; n < 4; n++) await kv.set(key, revision(n))
    await keyValue(store, [delta()]).set(key, noise(1, 2000))
  }
  const small = new Watched({}, { batch })
  await small.inner.write(setsOf(store.inner), callOptions())
  expect(await sweepDeltas(small, { clock: later(9e9) })).toEqual({ parts: 10, removed: 10, left: 0 })
  expect(Math.max(...[...small.reads, ...small.writes].map((asked) => asked.length))).toBe(2)
})

test('a writer who stood still until its part was swept writes no head that names it', async () => {
  let now = later(0)()
  const clock = () => now
  const store = new Watched()
  const { write } = store
  const kv = keyValue(store, [delta({ inlineBytes: 0, clock })])
  for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
  store.write = async (mutations, call) => {
    const results = await write(mutations, call)
    if (mutations.some(({ key }) => isUserKey(key))) return results
    now += 7_200_000
    expect(await sweepDeltas(store.inner, { clock })).toMatchObject({ removed: 1 })
    return results
  }
  const end = kv.set('key', revision(4)).then(
    () => 'written',
    ({ code }: { code: string }) => code,
  )
  expect(await end).toBe('UNAVAILABLE')
  store.write = write
  const value = await keyValue(store, [delta()]).get('key')
  expect(Buffer.from(value as Uint8Array)).toEqual(Buffer.from(revision(3)))
})
