import { Random } from '@unikv/test-kit/schedules'
import { expect, test } from 'vitest'

test('next draws the published mulberry32 numbers of seed 42', () => {
  const random = new Random(42)
  const drawn = [random.next(), random.next(), random.next()]
  expect(drawn).toEqual([0.6011037519201636, 0.44829055899754167, 0.8524657934904099])
})

test('below, chance and pick take one number each', () => {
  const numbers = new Random(7)
  const random = new Random(7)
  expect(random.below(10)).toBe(Math.floor(numbers.next() * 10))
  expect(random.chance(0.5)).toBe(numbers.next() < 0.5)
  expect(random.pick(['a', 'b', 'c'])).toBe(['a', 'b', 'c'][Math.floor(numbers.next() * 3)])
})

test('seeds that differ in their low 32 bits draw different numbers', () => {
  expect(new Random(1).next()).not.toBe(new Random(2).next())
  expect(new Random(1).next()).toBe(new Random(1 + 2 ** 32).next())
})
