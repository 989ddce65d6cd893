import { expect, test } from 'vitest'
import { RemainingTime } from '../src/run/progress.ts'

test('a cell is expected to take as long as in the run before, and an unknown one the mean', () => {
  const cells = ['a', 'b', 'a', 'b']
  const remaining = new RemainingTime((cell: string) => cell)
  expect(remaining.of(cells)).toBeUndefined()
  remaining.took('a', 100)
  expect(remaining.of(cells.slice(1))).toBe(300)
  remaining.took('b', 300)
  expect(remaining.of(cells.slice(2))).toBe(400)
})
