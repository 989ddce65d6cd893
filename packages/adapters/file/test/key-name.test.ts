import { hostileKeys } from '@unikv/conformance'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDigestName, keyInFront, keyOfName, maxKeyBytes, nameOfKey, shardNames } from '../src/key-name.ts'

const anyKey = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 300 })
  .filter((key) => key.isWellFormed() && Buffer.byteLength(key) <= maxKeyBytes)

/** The key that a file of this name and this beginning is of. */
function keyOf({ name, head }: ReturnType<typeof nameOfKey>): string | undefined {
  return isDigestName(name) ? keyInFront(head, name) : keyOfName(name)
}

describe('names of keys', () => {
  test('can be read back', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(keyOf(nameOfKey(key))).toBe(key)
      }),
    )
  })

  test('are safe on every file system', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const { shard, name } = nameOfKey(key)
        expect(name).toMatch(/^[kd]-[a-z0-9_%-]{1,126}$/)
        expect(shardNames).toContain(shard)
      }),
    )
  })

  test('are distinct, without regard to case, for all hostile keys', () => {
    const names = hostileKeys.map((key) => nameOfKey(key).name.toLowerCase())
    expect(new Set(names).size).toBe(names.length)
  })

  test.each([
    ['Ada', 'k-%41da'],
    ['user:ada', 'k-user%3aada'],
    ['..', 'k-%2e%2e'],
    ['a/b\\c', 'k-a%2fb%5cc'],
    ['con', 'k-con'],
    ['nul.txt', 'k-nul%2etxt'],
    ['\u0000\u0001', 'k-%00%01'],
    ['é', 'k-%c3%a9'],
    ['k-a', 'k-k-a'],
    ['t-1', 'k-t-1'],
    ['%41', 'k-%2541'],
  ])('%j is %s', (key, name) => {
    expect(nameOfKey(key).name).toBe(name)
  })

  test('a key that is too long for a name is named by its digest, and stands in front of the record', () => {
    const key = 'K'.repeat(maxKeyBytes)
    const { name, head } = nameOfKey(key)
    expect(name).toMatch(/^d-[0-9a-f]{64}$/)
    expect(keyInFront(head, name)).toBe(key)
    expect(
      keyInFront(
        head,
        name.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
      ),
    ).toBeUndefined()
    expect(keyInFront(head.subarray(0, -1), name)).toBeUndefined()
  })

  test.each([
    'k-',
    'k-A',
    'k-%41%',
    'k-%zz',
    'k-%61',
    'k-%C3%A9',
    'k-%ff',
    'x',
    't-a',
    `k-${'a'.repeat(127)}`,
  ])('%s is the name of no key', (name) => {
    expect(keyOfName(name)).toBeUndefined()
  })
})
