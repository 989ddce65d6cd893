import { randomBytes } from 'node:crypto'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { isStoreError } from '@unikv/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CompressOptions, compress, decompress } from '../src/index.ts'
import { algorithms, codeOf, frameOf, prose } from './samples.ts'

const MiB = 1_048_576
const value = prose(3000)
const dictionary = prose(5000).subarray(2000)

/** The body of what this library writes, whatever its length. */
function ownBody(bytes: Uint8Array, options: CompressOptions): Uint8Array {
  const frame = compress(bytes, {
    ...options,
    threads: false,
    minBytes: 0,
    maxOutputBytes: 128 * MiB,
  }) as Buffer
  // what does not get smaller has no body: one that is longer serves as well
  return frame[1] === 0 ? Buffer.concat([Buffer.alloc(20), frame]) : frame.subarray(6)
}

/** Each algorithm at the byte that a frame has for it, with what makes a raw body. */
const bodies = [
  ['gzip', 1, (bytes: Uint8Array) => gzipSync(bytes)],
  ['deflate', 2, (bytes: Uint8Array) => deflateSync(bytes)],
  [
    'brotli',
    3,
    (bytes: Uint8Array) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  ],
  ['zstd', 4, (bytes: Uint8Array) => ownBody(bytes, { algorithm: 'zstd' })],
  ['lz4', 5, (bytes: Uint8Array) => ownBody(bytes, { algorithm: 'lz4' })],
  ['snappy', 6, (bytes: Uint8Array) => ownBody(bytes, { algorithm: 'snappy' })],
  [
    'deflate with a dictionary',
    130,
    (bytes: Uint8Array) => ownBody(bytes, { algorithm: 'deflate', dictionary }),
  ],
  ['zstd with a dictionary', 132, (bytes: Uint8Array) => ownBody(bytes, { algorithm: 'zstd', dictionary })],
] as const

const modes = [{ dictionaries: [dictionary] }, { dictionaries: [dictionary], threads: false }] as const

async function verdicts(frame: Uint8Array): Promise<readonly (string | undefined)[]> {
  return Promise.all(modes.map((mode) => codeOf(() => decompress(frame, mode))))
}

const corrupt = ['CORRUPT', 'CORRUPT']

describe.each(bodies)('a body of %s', (_, id, bodyOf) => {
  const body = bodyOf(value)

  test('is read if all fits', async () => {
    expect(await verdicts(frameOf(id, value.length, body))).toEqual([undefined, undefined])
  })

  test('is refused under any other length', async () => {
    for (const length of [0, 1, body.length, value.length - 1, value.length + 1, 65_537, MiB, 64 * MiB])
      expect(await verdicts(frameOf(id, length, body)), `${length}`).toEqual(corrupt)
  })

  test('is refused when cut anywhere', async () => {
    const short = prose(600)
    const whole = bodyOf(short)
    for (let length = 0; length < whole.length; length++) {
      const frame = frameOf(id, short.length, whole.subarray(0, length))
      expect(await codeOf(() => decompress(frame, modes[0]))).toBe('CORRUPT')
    }
  })

  test('is refused with anything behind it', async () => {
    for (const more of [Buffer.alloc(1), Buffer.alloc(64), randomBytes(20), body, bodyOf(Buffer.alloc(0))])
      for (const length of [value.length, 2 * value.length])
        expect(await verdicts(frameOf(id, length, Buffer.concat([body, more])))).toEqual(corrupt)
  })

  test('of a large value is refused with anything behind it too', async () => {
    const large = prose(200_000)
    const whole = bodyOf(large)
    expect(await verdicts(frameOf(id, large.length, whole))).toEqual([undefined, undefined])
    expect(await verdicts(frameOf(id, large.length, Buffer.concat([whole, Buffer.alloc(3)])))).toEqual(
      corrupt,
    )
  })

  test('that grows 1,000 times and more stops at the length that it tells', async () => {
    const bomb = bodyOf(Buffer.alloc(8 * MiB))
    for (const length of [bomb.length + 1, 65_536, 4 * MiB])
      expect(await codeOf(() => decompress(frameOf(id, length, bomb), modes[0])), `${length}`).toBe('CORRUPT')
    expect(await verdicts(frameOf(id, 80 * MiB, bomb))).toEqual(['VALUE_TOO_LARGE', 'VALUE_TOO_LARGE'])
    expect(await verdicts(frameOf(id, 2 ** 32 - 1, bomb))).toEqual(['VALUE_TOO_LARGE', 'VALUE_TOO_LARGE'])
  })

  test('inside another one stays as it is', async () => {
    const inner = bodyOf(Buffer.alloc(MiB))
    const nested = bodyOf(Buffer.concat([inner, Buffer.alloc(5000)]))
    const frame = frameOf(id, inner.length + 5000, nested)
    expect(await decompress(frame, { dictionaries: [dictionary] })).toHaveLength(inner.length + 5000)
  })
})

describe('gzip', () => {
  test('of many small members is refused', async () => {
    const members = Buffer.concat(Array.from({ length: 100 }, () => gzipSync(Buffer.alloc(1000))))
    expect(await verdicts(frameOf(1, 100_000, members))).toEqual(corrupt)
  })

  test('with an empty member in front is refused', async () => {
    const members = Buffer.concat([gzipSync(Buffer.alloc(0)), gzipSync(value)])
    expect(await verdicts(frameOf(1, value.length, members))).toEqual(corrupt)
  })

  test('with optional fields is refused', async () => {
    const body = gzipSync(value)
    const named = Buffer.concat([body.subarray(0, 10), Buffer.from('name\0'), body.subarray(10)])
    named[3] = 8
    expect(await verdicts(frameOf(1, value.length, named))).toEqual(corrupt)
  })

  test('with a wrong checksum or size is refused, small or large', async () => {
    for (const content of [value, prose(200_000)])
      for (const fromEnd of [8, 5, 4, 1]) {
        const body = gzipSync(content)
        body[body.length - fromEnd] = (body[body.length - fromEnd] as number) ^ 1
        expect(await verdicts(frameOf(1, content.length, body))).toEqual(corrupt)
      }
  })
})

test('what is no frame is CORRUPT: text, JSON, raw gzip, an envelope, a record header', async () => {
  const foreign = [
    '',
    'text that is long enough',
    '{"json":true,"and":"long enough"}',
    gzipSync(value),
    Buffer.from('9e756b7601010042', 'hex'),
    Buffer.from('d501'.padEnd(60, '0'), 'hex'),
    Buffer.from('c1', 'hex'),
    Buffer.from('c10000000', 'hex'),
  ]
  for (const bytes of foreign) expect(await verdicts(Buffer.from(bytes as string))).toEqual(corrupt)
})

test('an algorithm that is kept for later is CORRUPT', async () => {
  for (const id of [7, 100, 127, 128, 129, 131, 133, 255])
    expect(await verdicts(frameOf(id, 100, Buffer.alloc(50)))).toEqual(corrupt)
})

test('a stored body must have the length that it tells', async () => {
  for (const length of [0, 99, 101, 2 ** 32 - 1])
    expect(await verdicts(frameOf(0, length, Buffer.alloc(100)))).toEqual(corrupt)
})

test('a body that is no shorter than its value is refused: no writer keeps such a one', async () => {
  const noise = randomBytes(100)
  expect(await verdicts(frameOf(1, 100, gzipSync(noise)))).toEqual(corrupt)
})

test.each(algorithms)(
  'a damaged frame of %s gives a typed error or a value of the told length',
  (algorithm) => {
    const frame = compress(value, { algorithm, threads: false }) as Uint8Array
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(frame.length - 1), fc.integer({ min: 1, max: 255 })), { minLength: 1 }),
        (flips) => {
          const damaged = Buffer.from(frame)
          for (const [i, flip] of flips) damaged[i] = (damaged[i] as number) ^ flip
          expectTyped(damaged, damaged.readUInt32BE(2))
        },
      ),
      { numRuns: 200 },
    )
  },
)

function expectTyped(frame: Uint8Array, length: number): void {
  try {
    const result = decompress(frame, { threads: false, maxOutputBytes: 100_000 }) as Uint8Array
    expect(result.length).toBe(length)
  } catch (error) {
    if (!isStoreError(error)) throw error
    // a flipped first bit names a dictionary that nobody has
    expect(['CORRUPT', 'VALUE_TOO_LARGE', 'INVALID_CONFIG']).toContain(error.code)
  }
}
