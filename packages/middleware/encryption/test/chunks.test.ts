import { randomBytes } from 'node:crypto'
import { compose } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { Sealer } from '../src/envelope/sealer.ts'
import { type Algorithm, encryption, type OpenOptions, open, type SealOptions, seal } from '../src/index.ts'
import { changed, codeOf, keys } from './records.ts'

const at: OpenOptions = { keys, dataset: 'users', key: 'ada' }
const small: SealOptions = { ...at, chunkAboveBytes: 0, chunkBytes: 1_024 }
const headBytes = 8 + 6 + 4 + 32 + 32 + 1
const sealedChunk = 1_024 + 16

const value = randomBytes(5 * 1_024 + 100)
const envelope = Buffer.from(seal(value, small))
const head = envelope.subarray(0, headBytes)
const chunks = chunksOf(envelope)

function chunksOf(bytes: Buffer): readonly Buffer[] {
  const body = bytes.subarray(headBytes)
  return Array.from({ length: Math.ceil(body.length / sealedChunk) }, (_, i) =>
    body.subarray(i * sealedChunk, (i + 1) * sealedChunk),
  )
}

const verdict = (bytes: Uint8Array): string | undefined => codeOf(() => open(bytes, at))
const joined = (order: readonly number[]): Buffer =>
  Buffer.concat([head, ...order.map((i) => chunks[i] as Buffer)])

describe('a value in chunks', () => {
  test.each<Algorithm>(['aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305'])(
    'is given back, by %s',
    (algorithm) => {
      for (const length of [0, 1, 1_015, 1_016, 1_017, 1_024, 1_025, 2_040, 2_041, 10_000]) {
        const bytes = randomBytes(length)
        const sealed = seal(bytes, { ...small, algorithm })
        expect(sealed[6]).toBe(length === 0 ? 0 : 0x10)
        expect(sealed.length).toBe(new Sealer({ ...small, algorithm }).sealedBytes(length))
        expect(bytes.equals(open(sealed, at)), `${length} bytes`).toBe(true)
        expect(bytes.equals(open(seal(bytes, { ...small, algorithm, padding: 'padme' }), at))).toBe(true)
      }
    },
  )

  test('has a tag for each chunk', () => {
    expect(chunks.map(({ length }) => length)).toEqual([1_040, 1_040, 1_040, 1_040, 1_040, 124])
    expect(joined([0, 1, 2, 3, 4, 5])).toEqual(envelope)
  })

  test('is refused under another size of chunks, or none', () => {
    for (let exponent = 0; exponent < 256; exponent++) {
      if (exponent === 10) continue
      const other = changed(envelope, (copy) => copy.writeUInt8(exponent, headBytes - 1))
      expect(verdict(other)).toBe(exponent > 10 && exponent <= 24 ? 'AUTHENTICATION_FAILED' : 'CORRUPT')
    }
  })

  test('shares its salt with no other record of its batch', () => {
    const batch = new Sealer({ ...small, chunkAboveBytes: 10 }).batch()
    const made = [5, 50, 5, 50, 5].map((length) => batch('k', randomBytes(length)))
    const salts = made.map((bytes) => bytes.toString('hex', 18, 50))
    expect(new Set(salts).size).toBe(3)
    expect(new Set([salts[0], salts[2], salts[4]]).size).toBe(1)
    expect(made.map((bytes) => bytes.readUInt32BE(14))).toEqual([0, 0, 1, 0, 2])
  })
})

describe('when a value goes in chunks', () => {
  test('above 16 MiB by default, in chunks of 256 KiB', () => {
    const bytes = Buffer.alloc(16_777_217, 'unikv')
    const inOne = seal(bytes.subarray(1), at)
    const chunked = seal(bytes, at)
    expect([inOne[6], chunked[6], chunked[headBytes - 1]]).toEqual([0, 0x10, 18])
    expect(bytes.equals(open(chunked, at))).toBe(true)
    expect(bytes.subarray(1).equals(open(inOne, at))).toBe(true)
  })

  test('whatever is longer than one piece can be: the layer takes what the runtime can hold', () => {
    const sealer = new Sealer({ keys, dataset: 'users', chunkAboveBytes: 2 ** 40 })
    const mostInOne = 2 ** 31 - 1 - 4
    expect(sealer.sealedBytes(mostInOne)).toBe(mostInOne + 102)
    const chunkCount = Math.ceil((mostInOne + 1 + 8) / 262_144)
    expect(sealer.sealedBytes(mostInOne + 1)).toBe(mostInOne + 1 + 8 + 83 + 16 * chunkCount)
    expect(sealer.maxValueBytes(Number.POSITIVE_INFINITY)).toBeGreaterThan(2 ** 32 - 2 ** 20)
    const vast = { ...memory(), capabilities: { ...memory().capabilities, maxValueBytes: 2 ** 40 } }
    const { maxValueBytes } = compose(vast, [encryption({ dataset: 'users', keys })]).capabilities
    expect(maxValueBytes).toBeGreaterThan(2 ** 31)
    expect(sealer.sealedBytes(maxValueBytes)).toBeLessThanOrEqual(2 ** 40)
  })

  test.each([
    { chunkBytes: 1_000 },
    { chunkBytes: 512 },
    { chunkBytes: 2 ** 25 },
    { chunkBytes: 0 },
    { chunkBytes: -1_024 },
    { chunkBytes: Number.NaN },
    { chunkBytes: '1024' },
    { chunkAboveBytes: -1 },
    { chunkAboveBytes: 1.5 },
    { chunkAboveBytes: '5' },
    { chunkAboveBytes: null },
  ])('%o is refused', (options) => {
    expect(codeOf(() => new Sealer({ keys, dataset: 'users', ...(options as object) }))).toBe(
      'INVALID_CONFIG',
    )
  })
})
