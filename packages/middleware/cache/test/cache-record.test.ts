import { newVersion } from '@unikv/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeCacheRecord, encodeCacheRecord } from '../src/tier/cache-record.ts'

test('a record comes back as it was', () => {
  const version = fc.option(fc.oneof(fc.constant(newVersion()), fc.string({ maxLength: 60 })), {
    nil: undefined,
  })
  const time = fc.option(fc.integer({ min: 1, max: 2 ** 48 - 2 }), { nil: undefined })
  fc.assert(
    fc.property(
      fc.uint8Array(),
      version,
      time,
      time,
      (value, v, expiresAt, freshUntil = Number.POSITIVE_INFINITY) => {
        fc.pre(v !== '' && (v?.isWellFormed() ?? true))
        const encoded = encodeCacheRecord({ entry: { value, version: v, expiresAt }, freshUntil })
        const { entry, freshUntil: decodedUntil } = decodeCacheRecord(encoded as Buffer)
        expect(decodedUntil).toBe(freshUntil)
        expect({ ...entry, value: Buffer.from(entry?.value ?? []) }).toEqual({
          value: Buffer.from(value),
          version: v,
          expiresAt,
        })
      },
    ),
  )
})

test('absence is a record', () => {
  const encoded = encodeCacheRecord({ entry: undefined, freshUntil: 5 }) as Buffer
  expect(decodeCacheRecord(encoded)).toEqual({ entry: undefined, freshUntil: 5 })
})

test('a record of format 1 is still read, and written', () => {
  const golden = 'ce010118018bcfe56800018bcfe5680130316131666361333338646230303030383031623039643768656c6c6f'
  const record = {
    entry: { value: Buffer.from('hello'), version: '01a1fca338db0000801b09d7', expiresAt: 1_700_000_000_000 },
    freshUntil: 1_700_000_000_001,
  }
  expect(decodeCacheRecord(Buffer.from(golden, 'hex'))).toEqual(record)
  expect(encodeCacheRecord(record)?.toString('hex')).toBe(golden)
})

test('any other bytes are CORRUPT, and never anything else', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.uint8Array().map((tail) => new Uint8Array([0xce, 1, ...tail])),
      ),
      (bytes) => {
        try {
          decodeCacheRecord(bytes)
        } catch (error) {
          expect(error).toMatchObject({ code: 'CORRUPT' })
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a version that does not fit is not kept', () => {
  expect(
    encodeCacheRecord({
      entry: { value: Buffer.alloc(0), version: 'v'.repeat(256), expiresAt: undefined },
      freshUntil: 1,
    }),
  ).toBeUndefined()
})

test('a record with a stamp comes back as it was, held or not', () => {
  const stamp = Buffer.from(Array.from({ length: 16 }, (_, i) => 240 + i)).toString('latin1')
  const entry = { value: Buffer.from('hello'), version: 'v1', expiresAt: 7 }
  const hold = { by: 'reader', until: 9 } as const
  for (const record of [
    { entry, freshUntil: 5, stamp },
    { entry, freshUntil: 5, stamp, hold },
    { entry: undefined, freshUntil: 5, stamp },
    { entry: undefined, freshUntil: 0, stamp, hold },
  ]) {
    const encoded = encodeCacheRecord(record) as Buffer
    expect(encoded[1]).toBe('hold' in record ? 4 : 3)
    expect(decodeCacheRecord(encoded)).toEqual(record)
    for (
      let length = 0;
      length < (record.entry === undefined ? encoded.length : encoded.length - 5);
      length++
    )
      expect(() => decodeCacheRecord(encoded.subarray(0, length))).toThrow('not a cache record')
  }
})

test('a record of format 3 is still read, and written', () => {
  const golden = 'ce030102000000000007000000000005f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff763168656c6c6f'
  const stamp = Buffer.from('f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', 'hex').toString('latin1')
  const entry = { value: Buffer.from('hello'), version: 'v1', expiresAt: 7 }
  expect(decodeCacheRecord(Buffer.from(golden, 'hex'))).toEqual({ entry, freshUntil: 5, stamp })
  expect(encodeCacheRecord({ entry, freshUntil: 5, stamp })?.toString('hex')).toBe(golden)
})
