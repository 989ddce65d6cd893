import { expect, test } from 'vitest'
import { saltSource } from '../src/envelope/salts.ts'

test('100,000 salts do not repeat', () => {
  const salt = saltSource()
  const seen = new Set<string>()
  for (let i = 0; i < 100_000; i++) seen.add(salt().toString('latin1'))
  expect(seen.size).toBe(100_000)
})

test('two sources give different salts', () => {
  const first = saltSource(() => 0)
  const second = saltSource(() => 0)
  expect(first()).not.toEqual(second())
})

test('a pool serves 32 salts within a second, and is thrown away when the clock jumps either way', () => {
  let now = 5000
  const salt = saltSource(() => now)
  const pool = salt().buffer
  now = 5999
  expect(salt().buffer).toBe(pool)
  now = 6000
  const second = salt().buffer
  expect(second).not.toBe(pool)
  now = 5999
  const third = salt().buffer
  expect(third).not.toBe(second)
  for (let i = 1; i < 32; i++) expect(salt().buffer).toBe(third)
  expect(salt().buffer).not.toBe(third)
})

test('a salt keeps its bytes while later ones are drawn', () => {
  const salt = saltSource()
  const one = salt()
  const copy = Buffer.from(one)
  for (let i = 0; i < 100; i++) salt()
  expect(one).toEqual(copy)
})
