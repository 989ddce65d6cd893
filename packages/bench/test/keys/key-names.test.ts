import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keyNames, keyNamesSchema } from '../../src/keys/key-space.ts'
import { Fnv64 } from '../../src/keys/scrambled.ts'

describe('keyNames', () => {
  test.each([
    [0, '6284781860667377211'],
    [1, '8517097267634966620'],
    [2, '1820151046732198393'],
    [3, '4052466453699787802'],
    [9, '9105318085603802964'],
    [12_345_678_901, '5686546334140306951'],
  ])('names key %i as YCSB does', (number, hash) => expect(keyNames()(number)).toBe(`user${hash}`))

  test('writes the number itself, with zeros before it, and behind another prefix', () => {
    expect(keyNames({ order: 'ordered' })(42)).toBe('user42')
    expect(keyNames({ order: 'ordered', zeroPadding: 6, prefix: 'k:' })(42)).toBe('k:000042')
    expect(keyNames({ zeroPadding: 20 })(0)).toBe('user06284781860667377211')
    expect(keyNames({ order: 'ordered', zeroPadding: 2 })(12_345)).toBe('user12345')
  })

  test('takes the defaults of YCSB', () => {
    expect(keyNamesSchema.parse({})).toEqual({ prefix: 'user', order: 'hashed', zeroPadding: 1 })
    expect(() => keyNamesSchema.parse({ zeroPadding: 0 })).toThrow('zeroPadding')
  })
})

test('Fnv64 is FNV-1a over eight octets, without its sign', () => {
  const fnv = new Fnv64()
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 2 ** 37 }), (number, divisor) => {
      fnv.hash(number)
      const expected = bigHash(number)
      expect(fnv.toString()).toBe(String(expected))
      expect(fnv.modulo(divisor)).toBe(Number(expected % BigInt(divisor)))
    }),
  )
})

function bigHash(number: number): bigint {
  let hash = 0xcbf29ce484222325n
  for (let octet = 0; octet < 8; octet++) {
    hash ^= (BigInt(number) >> BigInt(8 * octet)) & 0xffn
    hash = BigInt.asUintN(64, hash * 1099511628211n)
  }
  const signed = BigInt.asIntN(64, hash)
  return signed < 0n ? -signed : signed
}
