import type { Bytes, Entry, NotModified } from '@unikv/core'
import { expect, test } from 'vitest'
import { compareRecords, type Found } from '../src/same-record.ts'

const looked = (version: string | undefined, expiresAt?: number): NotModified => ({
  notModified: true,
  version,
  expiresAt,
})
const read = (text: string, version?: string): Entry<Bytes> => ({
  value: Buffer.from(text),
  version,
  expiresAt: undefined,
})

const cases: readonly [string, Found, Found, number, boolean, string][] = [
  ['nothing and nothing', undefined, undefined, 1, false, 'same'],
  ['nothing and something', undefined, looked('a'), 1, false, 'different'],
  ['one version', looked('a'), looked('a'), 1, false, 'same'],
  ['two versions', looked('a'), looked('b'), 1, false, 'different'],
  ['one version, if values count', looked('a'), looked('a'), 1, true, 'values needed'],
  ['one version and one value', read('x', 'a'), read('x', 'a'), 1, true, 'same'],
  ['one version and two values', read('x', 'a'), read('y', 'a'), 1, true, 'different'],
  ['no version', looked(undefined), looked('a'), 1, false, 'values needed'],
  ['no version, one value', read('x'), read('x', 'a'), 1, false, 'same'],
  ['expiries a millisecond apart', looked('a', 5), looked('a', 6), 1, false, 'different'],
  ['expiries within the precision', looked('a', 5_001), looked('a', 6_000), 1_000, false, 'same'],
  ['expiries beyond the precision', looked('a', 5_000), looked('a', 6_000), 1_000, false, 'different'],
  ['an expiry and none', looked('a', 5), looked('a'), 1_000, false, 'different'],
]

test.each(cases)('%s', (...row) => {
  const [, a, b, precisionMs, bytes, verdict] = row
  expect(compareRecords(a, b, precisionMs, bytes)).toBe(verdict)
  expect(compareRecords(b, a, precisionMs, bytes)).toBe(verdict)
})
