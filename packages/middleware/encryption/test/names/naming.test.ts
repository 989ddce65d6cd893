import { hostileKeys } from '@unikv/conformance'
import {
  canonicalKey,
  internalKey,
  isUserKey,
  keyBytes,
  namespacePrefix,
  nestedPrefix,
  ownerKey,
  portableKeyBytes,
} from '@unikv/core/adapter'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameKey } from '../../src/names/name-key.ts'
import { Naming } from '../../src/names/naming.ts'
import { codeOf, root1, root2 } from '../records.ts'

const naming = new Naming(nameKey(root1), 'users')

const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((one) => one.isWellFormed())
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).filter((one) => one.isWellFormed())
const path = fc.array(fc.oneof(segment, fc.constantFrom('a', 'b', '\u0001', '\u0002\u0003')), {
  maxLength: 7,
})

/** Canonical keys of users and of layers, in the root and down to seven namespaces. */
const canonical = fc
  .tuple(path, text, fc.constantFrom('user', 'owned', 'part', 'of the namespace'), text)
  .map(([segments, key, what, part]) => {
    const user = canonicalKey(namespacePrefix(segments), key)
    if (what === 'user') return user
    if (what === 'of the namespace') return internalKey('marker', namespacePrefix(segments), part)
    return internalKey('delta', user, what === 'part' ? part : '')
  })

describe('hashed names', () => {
  test('are canonical keys of at most 162 bytes that hold nothing of the true one', () => {
    fc.assert(
      fc.property(canonical, (key) => {
        const stored = naming.stored(key)
        expect(keyBytes(stored)).toBeLessThanOrEqual(162)
        expect(stored).toMatch(/^(?:\u0000[a-z])?(?:(?:\u0001[\w-]{22}){0,4}(?:^|[a-z]|\u0002)[\w-]{32})?/)
        expect(stored.replace(/^\u0000[a-z]/, '').replace(/\u0000(?:0|32)$/, '')).toMatch(
          /^[\w\u0001\u0002-]*$/,
        )
      }),
    )
    expect(162).toBeLessThanOrEqual(portableKeyBytes)
  })

  test('are the same for the same key, and different for different keys', () => {
    fc.assert(
      fc.property(canonical, canonical, (a, b) => {
        expect(naming.stored(a) === naming.stored(b)).toBe(a === b)
      }),
      { numRuns: 500 },
    )
    const all = [
      ...hostileKeys,
      ...['', 'a', 'b'].flatMap((key) => [`\u0001a\u0002${key}`, `\u0001a\u0001b\u0002${key}`]),
    ]
    expect(new Set(all.map((key) => naming.stored(canonicalKey('', key)))).size).toBe(new Set(all).size)
  })

  test('start with the stored prefix of every prefix of their key', () => {
    fc.assert(
      fc.property(canonical, fc.nat({ max: 60 }), (key, length) => {
        expect(naming.stored(key).startsWith(naming.storedPrefix(key.slice(0, length)).stored)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([[['a']], [['a', 'b']], [['a', 'b', 'c', 'd']], [['\u0001', '\u0002']]])(
    'have a prefix for the namespace %j that no other namespace shares',
    (segments) => {
      const own = naming.storedPrefix(namespacePrefix(segments)).stored
      const inside = naming.storedPrefix(nestedPrefix(segments)).stored
      expect(naming.stored(`${namespacePrefix(segments)}key`).startsWith(own)).toBe(true)
      expect(naming.stored(`${namespacePrefix([...segments, 'e'])}key`).startsWith(inside)).toBe(true)
      for (const other of [['aa'], ['b'], ['ab'], ['b', 'a'], ['A']])
        for (const prefix of [own, inside])
          expect(naming.stored(`${namespacePrefix(other)}key`).startsWith(prefix)).toBe(false)
      expect(own).toHaveLength(1 + 23 * segments.length)
    },
  )

  test('of a fifth and deeper namespace are below the prefix of the fourth', () => {
    const four = ['a', 'b', 'c', 'd']
    const fourth = naming.storedPrefix(namespacePrefix(four)).stored
    const deep = [
      [...four, 'e'],
      [...four, 'f'],
      [...four, 'e', 'f'],
    ].map((one) => namespacePrefix(one))
    for (const prefix of deep) expect(naming.storedPrefix(prefix).stored).toBe(fourth)
    expect(naming.storedPrefix(nestedPrefix(four)).stored).toBe(fourth)
    const stored = [...deep, namespacePrefix(four)].map((prefix) => naming.stored(`${prefix}key`))
    expect(new Set(stored).size).toBe(4)
    for (const key of stored) expect(key.startsWith(fourth)).toBe(true)
  })

  test('say nothing of equal names in different places', () => {
    const names = ['users', 'x'].flatMap((one) => [
      naming.stored(canonicalKey('', one)),
      naming.stored(canonicalKey(namespacePrefix([one]), one)),
      naming.stored(canonicalKey(namespacePrefix(['x', one]), one)),
    ])
    const parts = names.flatMap((one) => one.split(/[\u0001\u0002]/).filter((part) => part !== ''))
    // 'x' leads in two of them: that is one namespace, and shows as one.
    expect(parts.length - new Set(parts).size).toBe(2)
  })

  test('of internal records keep kind and owner, and hide the part', () => {
    const owner = canonicalKey(namespacePrefix(['team']), 'ada')
    const stored = naming.stored(internalKey('chunk', owner, 'secret part'))
    expect(stored).toMatch(/^\u0000c/)
    expect(ownerKey(stored)).toBe(naming.stored(owner))
    expect(stored).not.toContain('secret')
    expect(isUserKey(stored)).toBe(false)
    expect(ownerKey(naming.stored(internalKey('lease', owner)))).toBe(naming.stored(owner))
    expect(ownerKey(naming.stored(internalKey('marker', '', 'warm')))).toBe('')
  })

  test('are others under another name key, and in another dataset', () => {
    const key = canonicalKey(namespacePrefix(['team']), 'ada')
    const others = [new Naming(nameKey(root2), 'users'), new Naming(nameKey(root1), 'users2')]
    const all = [naming, ...others]
    for (const of of [
      (one: Naming) => one.stored(key),
      (one: Naming) => one.storedPrefix(namespacePrefix(['team'])).stored,
      (one: Naming) => one.check.toString('hex'),
    ])
      expect(new Set(all.map(of)).size).toBe(3)
  })

  test('stay the same when more namespaces came than are remembered', () => {
    const fresh = new Naming(nameKey(root1), 'users')
    const keys = Array.from({ length: 1500 }, (_, i) => canonicalKey(namespacePrefix([`n${i}`]), 'key'))
    const first = keys.map((key) => fresh.stored(key))
    expect(new Set(first).size).toBe(1500)
    expect(keys.map((key) => fresh.stored(key))).toEqual(first)
  })

  test.each([
    '\u0001a',
    '\u0001',
    '\u0001\u0002a',
    '\u0000',
    '\u0000m',
    '\u0000mkey',
    '\u0000Mkey\u00000',
    '\u0000mkey\u000000',
    '\u0000mkey\u00009',
  ])('of %j are refused, as that is no canonical key', (key) =>
    expect(codeOf(() => naming.stored(key))).toBe('INVALID_KEY'),
  )
})
