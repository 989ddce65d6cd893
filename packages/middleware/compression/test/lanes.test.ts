import { isPromise } from '@unikv/core'
import { expect, test } from 'vitest'
import { each } from '../src/lanes.ts'

test('answers that are at hand stay so', () => {
  expect(each([1, 2, 3], (n) => n * 2)).toEqual([2, 4, 6])
  expect(each([], (n) => n)).toEqual([])
})

test('mixed answers keep their places', async () => {
  const items = Array.from({ length: 50 }, (_, i) => i)
  const answer = each(items, (n) => (n % 3 === 0 ? Promise.resolve(n * 2) : n * 2))
  expect(isPromise(answer)).toBe(true)
  expect(await answer).toEqual(items.map((n) => n * 2))
})

test('no more than four are under way', async () => {
  let underWay = 0
  let most = 0
  const change = async (n: number): Promise<number> => {
    most = Math.max(most, ++underWay)
    await new Promise(setImmediate)
    underWay--
    return n
  }
  expect(
    await each(
      Array.from({ length: 40 }, (_, i) => i),
      change,
    ),
  ).toHaveLength(40)
  expect(most).toBe(4)
})
