import { testClock } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { expect, test } from 'vitest'
import { delta } from '../src/index.ts'
import { quiet, same } from './opened.ts'
import { revision } from './samples.ts'
import { Watched } from './watched.ts'

const clock = testClock(1_000_000)

test('no part ends before its head, and a life that moves on needs no base each time', async () => {
  const store = new Watched({ clock })
  const layer = delta({ clock, inlineBytes: 0 })
  const kv = keyValue(store, [layer], { clock })
  for (let n = 1; n <= 12; n++) {
    await kv.set('key', revision(n), { ttlMs: 10_000 })
    clock.advance(2_000)
    const head = store.inner.native.get('key')
    for (const part of store.parts)
      expect(store.inner.native.get(part)?.expiresAt).toBeGreaterThan(head?.expiresAt as number)
    const fresh = keyValue(store, [delta({ clock })], { clock })
    expect(same(await fresh.get('key'))).toEqual(same(revision(n)))
    await quiet()
  }
  expect(layer.stats()[0]?.deltas).toBeGreaterThan(6)
  await kv.set('key', revision(13))
  expect(store.parts.map((part) => store.inner.native.get(part)?.expiresAt)).toContain(undefined)
  clock.advance(1_000_000)
  expect(same(await kv.get('key'))).toEqual(same(revision(13)))
})

test('an expiry that is kept stays what it was', async () => {
  const store = new Watched({ clock })
  const kv = keyValue(store, [delta({ clock })], {
    clock,
  })
  await kv.set('key', revision(1), { ttlMs: 5_000 })
  const ends = (await kv.getEntry('key'))?.expiresAt
  for (let n = 2; n < 6; n++) await kv.set('key', revision(n), { ttlMs: 'keep' })
  expect((await kv.getEntry('key'))?.expiresAt).toBe(ends)
  expect(same(await kv.get('key'))).toEqual(same(revision(5)))
  clock.advance(5_001)
  expect(await kv.get('key')).toBeUndefined()
})
