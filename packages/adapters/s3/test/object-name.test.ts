import { hostileKeys } from '@unikv/conformance'
import { compareKeys } from '@unikv/core/adapter'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeName, encodeName, justBefore, maxKeyBytes } from '../src/object-name.ts'

const keys = fc.string({ unit: 'binary', minLength: 1, maxLength: 120 })

test('a name is its key again', () => {
  fc.assert(fc.property(keys, (key) => decodeName(encodeName(key)) === key))
  for (const key of hostileKeys) expect(decodeName(encodeName(key))).toBe(key)
})

test('names are in the order of keys', () => {
  const sign = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  fc.assert(
    fc.property(keys, keys, (a, b) => sign(encodeName(a), encodeName(b)) === Math.sign(compareKeys(a, b))),
  )
})

test('the name of a prefix is a prefix of the name', () => {
  fc.assert(fc.property(keys, keys, (a, b) => encodeName(a + b).startsWith(encodeName(a))))
  fc.assert(fc.property(keys, keys, (a, b) => encodeName(a).startsWith(encodeName(b)) === a.startsWith(b)))
})

test('nothing in a name means anything to a path, a URL or a terminal', () => {
  fc.assert(
    fc.property(keys, (key) => {
      const name = encodeName(key)
      return (
        /^([!-:;A-Z_`a-z~0-9-]|\.[01]|-\/)+$/.test(name) &&
        name.split('/').every((part) => part.length <= 255 && !/^\.*$/.test(part))
      )
    }),
  )
})

test('the longest key has a name that S3 takes', () => {
  expect(
    encodeName('\u{1f600}'.repeat(maxKeyBytes / 4)).length + 'p'.repeat(48).length + '/!'.length,
  ).toBeLessThanOrEqual(1_024)
})

test('a list that begins just before a name has it, and none before it', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      const start = justBefore(encodeName(a))
      return start < encodeName(a) && compareKeys(b, a) < 0 === encodeName(b) < start
    }),
  )
})

test.each([
  '',
  '.',
  '..',
  'a/b',
  'a.2',
  '!0',
  '!2d',
  '!2D',
  '!61',
  '~7a',
  '~FF',
  '!C3',
  'é',
  'a b',
  'Z',
  'Z5',
  ';6',
  'a%20',
  '-/a',
  `${'a'.repeat(240)}/a`,
  `${'a'.repeat(239)}-/a`,
  `${'a'.repeat(240)}-/`,
  'a'.repeat(241),
])('%j is no name of ours', (name) => expect(decodeName(name)).toBeUndefined())
