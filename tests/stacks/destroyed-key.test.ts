import { cache } from '@unikv/cache'
import { compose, json, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { encryption, keyring } from '@unikv/encryption'
import { expect, test } from 'vitest'
import { ringOf } from '../processes/fixtures/rotation-process.ts'

const narrow = passThrough('narrow', { capabilities: { maxValueBytes: 2_048 }, wrap: () => ({}) })

test('a warm restart from records of a destroyed key starts empty, and works', async () => {
  const keys = keyring(ringOf('k1', ['k1', 'k2']))
  const [source, kept] = [memory(), memory()]
  const open = () => {
    const store = compose(kept, [narrow, encryption({ dataset: 'warm', keys })])
    const near = cache({ freshForMs: 1e9, warm: { store, resume: 'fresh' } })
    return { near, kv: keyValue(source, [near, json()]) }
  }
  const before = open()
  for (let i = 0; i < 60; i++) await before.kv.set(`key ${i}`, { i, text: 'x'.repeat(100) })
  for (let i = 0; i < 60; i++) await before.kv.get(`key ${i}`)
  await before.kv.close()
  expect(kept.native.size).toBeGreaterThan(1)
  keys.replace(ringOf('k2', ['k1', 'k2']))
  const warm = open()
  await warm.near.loaded()
  expect(warm.near.stats().warm?.loaded).toBe(60)
  keys.destroy('k1')
  const after = open()
  await after.near.loaded()
  expect(after.near.stats().warm).toMatchObject({ loaded: 0 })
  expect(await after.kv.get('key 7')).toEqual({ i: 7, text: 'x'.repeat(100) })
  await after.kv.close()
})
