import assert from 'node:assert/strict'
import { conformance, hostileKeyClasses, hostileKeys, invalidKeys } from '@unikv/conformance'
import { canonicalKey, keyBytes, portableKeyBytes } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'

test('there are at least 600 hostile keys, all distinct', () => {
  expect(hostileKeys.length).toBeGreaterThanOrEqual(600)
  expect(new Set(hostileKeys).size).toBe(hostileKeys.length)
  expect(new Set(hostileKeys.map((key) => canonicalKey('', key))).size).toBe(hostileKeys.length)
})

test('every class has keys of its own', () => {
  for (const { title, keys } of hostileKeyClasses) expect(keys.length, title).toBeGreaterThanOrEqual(15)
})

test('every hostile key is portable: well-formed, and at most 180 bytes in its canonical form', () => {
  for (const key of hostileKeys) {
    assert.ok(key.isWellFormed() && key !== '')
    assert.ok(keyBytes(canonicalKey('', key)) <= portableKeyBytes, JSON.stringify(key))
  }
})

test('some keys are as long as the portable limit allows', () => {
  expect(hostileKeys.filter((key) => keyBytes(key) === portableKeyBytes).length).toBeGreaterThanOrEqual(10)
})

test('no invalid key is a well-formed text', () => {
  for (const { title, key } of invalidKeys) {
    assert.ok(typeof key !== 'string' || key === '' || !key.isWellFormed(), title)
  }
})

test('a step or a number of schedules with which nothing would be tested is refused', async () => {
  const run = (numbers: object) => conformance({ test: () => {}, open: () => memory(), ...numbers })
  for (const numbers of [{ keyStep: 0 }, { keyStep: Number.NaN }, { schedules: 0 }])
    await expect(run(numbers)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  await run({ keyStep: 5, schedules: 1 })
})
