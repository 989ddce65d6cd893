import { expect, test } from 'vitest'
import { keyNumbers } from '../../src/keys/key-space.ts'
import { ReadChecks } from '../../src/operations/read-checks.ts'

const value = (number: number) => ({ value: Uint8Array.of(number) })

test('a scan is wrong where keys do not rise from its start on, or values are of other keys', () => {
  const numberOf = keyNumbers({ prefix: 'k', order: 'ordered' })
  const checks = new ReadChecks(
    (number, [byte]) => byte === number,
    (key, [byte]) => {
      const number = numberOf(key)
      return number === undefined ? undefined : byte === number
    },
  )
  checks.checkScan('k3', 3, [
    ['k3', value(3)],
    ['k4', value(4)],
    ['other', value(0)],
  ])
  expect([checks.checked, checks.wrong]).toEqual([2, 0])
  const order = 'A scan returned keys in the wrong order.'
  expect(() => checks.checkScan('k3', 3, [['k2', value(2)]])).toThrow(order)
  expect(() =>
    checks.checkScan('k3', 3, [
      ['k4', value(4)],
      ['k4', value(4)],
    ]),
  ).toThrow(order)
  expect(() => checks.checkScan('k3', 3, [['k3', value(4)]])).toThrow('A scan returned a wrong value.')
  expect(() => checks.checkScan('k3', 3, [['k5', value(4)]])).toThrow('A scan returned a wrong value.')
  expect(checks.wrong).toBe(4)
})
