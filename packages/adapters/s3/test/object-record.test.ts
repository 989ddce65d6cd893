import { newVersion } from '@unikv/core'
import { expect, test } from 'vitest'
import { decodeHead, decodeObject, encodeObject, headBytes, mayExpire } from '../src/object-record.ts'

const version = newVersion()

test.each([0, 1, 2, 19, 1_000, 1_001])(
  '%i bytes come back, and the size tells whether they expire',
  (length) => {
    const value = Buffer.alloc(length, 'value')
    for (const expiresAt of [undefined, 1_700_000_000_123]) {
      const object = encodeObject(value, version, expiresAt)
      expect(mayExpire(object.length)).toBe(expiresAt !== undefined)
      expect(decodeObject(object)).toEqual({ value, version, expiresAt })
      expect(decodeHead(object.subarray(0, headBytes))).toEqual({ version, expiresAt })
    }
  },
)

test('what is no record is CORRUPT', () => {
  const object = encodeObject(Buffer.from('value'), version, undefined)
  const damaged = [
    Buffer.alloc(0),
    Buffer.from('no record of ours, but long enough'),
    object.subarray(0, headBytes - 1),
    Buffer.concat([object.subarray(0, headBytes - 1), Buffer.from([7]), Buffer.from('value')]),
    Buffer.concat([object.subarray(0, headBytes - 1), Buffer.from([1])]),
  ]
  for (const bytes of damaged)
    expect(() => decodeObject(bytes)).toThrow(expect.objectContaining({ code: 'CORRUPT' }))
})
