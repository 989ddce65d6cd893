import { expect, test } from 'vitest'
import { ownRandom, unfailingRandom } from '../src/adapter/index.ts'

test('a share from 0 to below 1 is handed on', () => {
  const shares = [0, 0.5, 1 - Number.EPSILON]
  expect(shares.map((share) => ownRandom('cache', () => share)())).toEqual(shares)
})

test.each([1, -1, Number.NaN, '0.5', Promise.resolve(0.5)])('%s is no share', (share) => {
  expect(ownRandom('cache', () => share)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  const standIn = unfailingRandom('mirror', () => share)()
  expect(standIn >= 0 && standIn < 1).toBe(true)
})
