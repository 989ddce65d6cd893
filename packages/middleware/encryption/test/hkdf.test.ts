import { hkdfSync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hkdf } from '../src/envelope/hkdf.ts'

const bytes = (maxLength: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ maxLength })

test('hkdf gives the bytes of hkdfSync for any root, salt and info', () => {
  fc.assert(
    fc.property(bytes(80), bytes(80), bytes(200), (root, salt, info) => {
      const { key, commitment } = hkdf(root, salt, info)
      const expected = Buffer.from(hkdfSync('sha256', root, salt, info, 64))
      expect(Buffer.concat([key, commitment])).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})

test('hkdf reads an info of text as UTF-8', () => {
  expect(hkdf(Buffer.alloc(32, 1), Buffer.alloc(32, 2), 'ünïkv')).toEqual(
    hkdf(Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.from('ünïkv')),
  )
})
