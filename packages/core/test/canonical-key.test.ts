import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  afterPrefix,
  canonicalKey,
  compareKeys,
  internalKey,
  isUserKey,
  keyBytes,
  namespacePrefix,
  nestedPrefix,
  ownerKey,
  storedKey,
  unnamedKey,
  userKey,
} from '../src/adapter/index.ts'
import { bytesKey, tupleKey } from '../src/keys/key-codec.ts'

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 })
const low = fc.string({
  unit: fc.constantFrom('\u0000', '\u0001', '\u0002', '\u0003', '\u0010', 'a'),
  minLength: 1,
  maxLength: 6,
})
const key = fc.oneof(text, low)
const segments = fc.array(key, { maxLength: 3 })

test('a canonical key leads back to its key, and only under its own namespace', () => {
  fc.assert(
    fc.property(segments, segments, key, key, (a, b, k, l) => {
      const canonical = canonicalKey(namespacePrefix(a), k)
      expect(userKey(namespacePrefix(a), canonical)).toBe(k)
      const same = JSON.stringify([a, k]) === JSON.stringify([b, l])
      expect(canonical === canonicalKey(namespacePrefix(b), l)).toBe(same)
      if (JSON.stringify(a) !== JSON.stringify(b))
        expect(userKey(namespacePrefix(b), canonical)).toBeUndefined()
    }),
    { numRuns: 2000 },
  )
})

test('internal records are no user keys and never meet one', () => {
  fc.assert(
    fc.property(segments, key, (names, k) => {
      const canonical = canonicalKey(namespacePrefix(names), k)
      expect(isUserKey(canonical)).toBe(true)
      expect(isUserKey(internalKey('delta', canonical))).toBe(false)
      expect(userKey(namespacePrefix(names), internalKey('delta', canonical))).toBeUndefined()
    }),
  )
})

test('an internal key leads back to the record beside which it is kept', () => {
  fc.assert(
    fc.property(segments, key, fc.oneof(low, fc.constant('')), (names, k, part) => {
      const canonical = canonicalKey(namespacePrefix(names), k)
      expect(ownerKey(internalKey('chunk', canonical, part))).toBe(canonical)
      expect(ownerKey(internalKey('marker', '', part))).toBe('')
      expect(ownerKey(canonical)).toBeUndefined()
    }),
    { numRuns: 2000 },
  )
  for (const foreign of ['', '\u0000', '\u0000d', '\u0000dk\u0000', '\u0000dk\u00009', '\u0000dk\u0000x'])
    expect(ownerKey(foreign)).toBeUndefined()
})

test('internal keys of different records and parts never meet', () => {
  fc.assert(
    fc.property(key, key, fc.oneof(low, fc.constant('')), fc.oneof(low, fc.constant('')), (a, b, p, q) => {
      const same = a === b && p === q
      expect(internalKey('chunk', a, p) === internalKey('chunk', b, q)).toBe(same)
    }),
    { numRuns: 2000 },
  )
  expect(internalKey('chunk', 'a', 'x')).not.toBe(internalKey('chunk', 'a\u0000x'))
})

test('order is that of unsigned UTF-8 bytes, within and across namespaces', () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      const sign = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect(Math.sign(compareKeys(a, b))).toBe(sign)
      expect(Math.sign(compareKeys(canonicalKey('', a), canonicalKey('', b)))).toBe(sign)
    }),
    { numRuns: 2000 },
  )
})

test('a nested prefix covers the namespaces inside, the exact prefix the keys, neither a neighbour', () => {
  const inside = canonicalKey(namespacePrefix(['users', 'eu']), 'ada')
  const neighbour = canonicalKey(namespacePrefix(['users2']), 'ada')
  expect(inside.startsWith(nestedPrefix(['users']))).toBe(true)
  expect(inside.startsWith(namespacePrefix(['users']))).toBe(false)
  expect(neighbour.startsWith(nestedPrefix(['users']))).toBe(false)
  expect(neighbour.startsWith(namespacePrefix(['users']))).toBe(false)
})

test('afterPrefix is the smallest string above all that start with the prefix', () => {
  fc.assert(
    fc.property(key, key, (prefix, rest) => {
      const end = afterPrefix(prefix)
      if (end === undefined) return
      expect(compareKeys(prefix + rest, end)).toBeLessThan(0)
      expect(end.isWellFormed()).toBe(true)
    }),
    { numRuns: 1000 },
  )
  expect(afterPrefix('')).toBeUndefined()
  expect(afterPrefix('\u{10ffff}')).toBeUndefined()
  expect(afterPrefix('a\ud7ff')).toBe('a\ue000')
})

test('byte keys come back and keep byte order', () => {
  const codec = bytesKey()
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.uint8Array({ minLength: 1 }), (a, b) => {
      expect(Array.from(codec.decode(codec.encode(a)))).toEqual(Array.from(a))
      expect(Math.sign(compareKeys(codec.encode(a), codec.encode(b)))).toBe(Math.sign(Buffer.compare(a, b)))
    }),
  )
  expect(keyBytes(codec.encode(new Uint8Array([0xff])))).toBe(2)
})

test('tuple keys come back and are ordered part by part', () => {
  const codec = tupleKey()
  const part = fc.oneof(
    low,
    text,
    fc.boolean(),
    fc.double({ noNaN: true }).map((n) => n + 0),
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      expect(codec.decode(codec.encode(parts))).toEqual(parts.map((one) => (one === 0 ? 0 : one)))
    }),
    { numRuns: 2000 },
  )
  fc.assert(
    fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
      expect(Math.sign(compareKeys(codec.encode([a]), codec.encode([b])))).toBe(
        Math.sign(a - b) || (a > b ? 1 : a < b ? -1 : 0),
      )
    }),
  )
  const sorted = [[false], [true], [-1], [2], ['a'], ['a', 1], ['a', 'b'], ['ab'], ['b']]
  const shuffled = sorted
    .map((key) => codec.encode(key))
    .reverse()
    .sort(compareKeys)
  expect(shuffled.map((encoded) => codec.decode(encoded))).toEqual(sorted)
})

test('what stands for a record without a name is internal, tells the stored key, and is no other internal key', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((one) => one.isWellFormed())
  fc.assert(
    fc.property(
      text,
      text,
      fc.array(
        text.filter((one) => one !== ''),
        { maxLength: 3 },
      ),
      (stored, key, segments) => {
        const prefix = namespacePrefix(segments)
        const unnamed = unnamedKey(prefix, stored)
        expect(isUserKey(unnamed)).toBe(false)
        expect(storedKey(unnamed)).toBe(stored)
        expect(ownerKey(unnamed)).toBe(prefix)
        expect(storedKey(internalKey('chunk', prefix + key, stored))).toBeUndefined()
        expect(storedKey(canonicalKey(prefix, key))).toBeUndefined()
      },
    ),
  )
})
