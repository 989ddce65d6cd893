import { newVersion } from '@unikv/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeCacheRecord, encodeCacheRecord } from '../src/cache-record.ts'

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

test('a record of format 1 is still read', () => {
  const golden = 'ce010118018bcfe56800018bcfe5680130316131666361333338646230303030383031623039643768656c6c6f'
  expect(decodeCacheRecord(Buffer.from(golden, 'hex'))).toEqual({
    entry: { value: Buffer.from('hello'), version: '01a1fca338db0000801b09d7', expiresAt: 1_700_000_000_000 },
    freshUntil: 1_700_000_000_001,
  })
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
