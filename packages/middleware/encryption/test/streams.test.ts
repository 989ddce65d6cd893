import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Bytes } from '@unikv/core'
import { Random } from '@unikv/test-kit/schedules'
import { describe, expect, test, vi } from 'vitest'
import {
  type OpenOptions,
  open,
  openStream,
  type Padding,
  type StreamSealOptions,
  seal,
  sealStream,
} from '../src/index.ts'
import { keys } from './records.ts'

const at: OpenOptions = { keys, dataset: 'backups', key: 'dump' }
const small: StreamSealOptions = { ...at, chunkBytes: 1_024 }
const headBytes = 8 + 6 + 68 + 1
const sealedChunk = 1_024 + 16

/** Everything that comes, and the code of the error that it ends with. */
async function all(
  stream: AsyncIterable<Bytes>,
): Promise<{ readonly bytes: Buffer; readonly code: unknown }> {
  const parts: Bytes[] = []
  try {
    for await (const part of stream) parts.push(Buffer.from(part))
  } catch (error) {
    return { bytes: Buffer.concat(parts), code: (error as { code?: unknown }).code ?? error }
  }
  return { bytes: Buffer.concat(parts), code: undefined }
}

/** Bytes in pieces of sizes that the seed decides, all in one buffer that is used again. */
async function* inPieces(bytes: Bytes, chance: Random): AsyncGenerator<Bytes> {
  const buffer = new Uint8Array(3_000)
  for (let from = 0; from < bytes.length; ) {
    const piece = bytes.subarray(from, from + chance.pick([0, 1, 7, 500, 1_024, 3_000]))
    buffer.set(piece)
    yield buffer.subarray(0, piece.length)
    buffer.fill(0xee)
    from += piece.length
  }
}

const sealed = async (value: Bytes, options: StreamSealOptions = small): Promise<Buffer> =>
  (await all(sealStream([value], options))).bytes

describe('a sealed stream', () => {
  const paddings: readonly Padding[] = ['none', 'padme', { toMultipleOf: 3_000 }]

  test.each(paddings)('is what open and openStream give back, padding %o', async (padding) => {
    const chance = new Random(5)
    for (const length of [0, 1, 8, 1_015, 1_016, 1_017, 1_024, 2_040, 5_000, 9_000])
      for (const value of [randomBytes(length), Buffer.alloc(length), halfZero(length)]) {
        const { bytes, code } = await all(sealStream(inPieces(value, chance), { ...small, padding }))
        expect(code).toBeUndefined()
        expect(value.equals(open(bytes, at)), `open, ${length}`).toBe(true)
        const again = await all(openStream(inPieces(bytes, chance), at))
        expect([again.code, value.equals(again.bytes)], `${length}`).toEqual([undefined, true])
      }
  })

  test('is as long as what seal makes in chunks, and has its form', async () => {
    for (const length of [1, 1_016, 1_017, 4_000]) {
      const value = randomBytes(length)
      const inOne = seal(value, { ...small, chunkAboveBytes: 0, padding: 'padme' })
      const streamed = await sealed(value, { ...small, padding: 'padme' })
      expect(streamed.length).toBe(inOne.length)
      expect(streamed.subarray(0, 18)).toEqual(Buffer.from(inOne).subarray(0, 18))
      expect(await all(openStream([inOne], at))).toEqual({ bytes: value, code: undefined })
    }
  })

  test('may be an envelope in one piece', async () => {
    for (const length of [0, 100, 4_122, 10_000]) {
      const value = randomBytes(length)
      const { bytes, code } = await all(openStream(inPieces(seal(value, at), new Random(1)), at))
      expect([code, bytes.equals(value)]).toEqual([undefined, true])
    }
    const wrong = await all(openStream([seal(randomBytes(10_000), at)], { ...at, key: 'other' }))
    expect(wrong).toEqual({ bytes: Buffer.alloc(0), code: 'AUTHENTICATION_FAILED' })
  })

  test('never ends well when it was cut short, at whatever byte', async () => {
    const bytes = await sealed(randomBytes(2_500))
    for (let length = 0; length < bytes.length; length++) {
      const { code } = await all(openStream([bytes.subarray(0, length)], at))
      expect(['AUTHENTICATION_FAILED', 'CORRUPT'], `${length} bytes`).toContain(code)
    }
  })

  test('gives nothing from a chunk that is not the one that is due, and ends with an error', async () => {
    const value = randomBytes(5_000)
    const bytes = await sealed(value)
    const head = bytes.subarray(0, headBytes)
    const chunks = Array.from({ length: 5 }, (_, i) =>
      bytes.subarray(headBytes + i * sealedChunk, headBytes + (i + 1) * sealedChunk),
    )
    const orders = [
      [0, 1, 2, 3],
      [0, 1, 2, 4],
      [0, 2, 1, 3, 4],
      [0, 1, 1, 2, 3, 4],
      [0, 1, 2, 3, 4, 4],
      [1, 2, 3, 4],
      [4],
    ]
    for (const order of orders) {
      const damaged = Buffer.concat([head, ...order.map((i) => chunks[i] as Buffer)])
      const { bytes: given, code } = await all(openStream([damaged], at))
      expect(code, String(order)).toBe('AUTHENTICATION_FAILED')
      const right = order.findIndex((chunk, i) => chunk !== i || (i === order.length - 1 && i !== 4))
      const most = Math.max(0, (right < 0 ? order.length : right) * 1_024)
      expect(given.length).toBeLessThanOrEqual(most)
      expect(value.subarray(0, given.length).equals(given)).toBe(true)
    }
  })

  test('is refused elsewhere before anything of it was given', async () => {
    const bytes = await sealed(randomBytes(3_000))
    for (const other of [
      { key: 'other' },
      { dataset: 'other' },
      { kind: 'chunk' as const },
      { context: 't' },
    ])
      expect(await all(openStream([bytes], { ...at, ...other }))).toEqual({
        bytes: Buffer.alloc(0),
        code: 'AUTHENTICATION_FAILED',
      })
  })

  test('fails as its source does, and what came before opens nowhere', async () => {
    const broken = new Error('the disk is gone')
    async function* failing(): AsyncGenerator<Bytes> {
      yield randomBytes(2_500)
      throw broken
    }
    const { bytes, code } = await all(sealStream(failing(), small))
    expect(code).toBe(broken)
    expect(bytes.length).toBeGreaterThan(headBytes)
    expect((await all(openStream([bytes], at))).code).toBe('AUTHENTICATION_FAILED')
  })

  test('lets go of its source when nobody wants more, and when it is refused', async () => {
    const bytes = await sealed(randomBytes(9_000))
    const readers: readonly ((source: AsyncIterable<Bytes>) => AsyncIterable<Bytes>)[] = [
      (source) => sealStream(source, small),
      (source) => openStream(source, at),
      (source) => openStream(source, { ...at, key: 'other' }),
    ]
    for (const read of readers) {
      let isClosed = false
      async function* source(): AsyncGenerator<Bytes> {
        try {
          for (let from = 0; from < bytes.length; from += 100) yield bytes.subarray(from, from + 100)
        } finally {
          isClosed = true
        }
      }
      try {
        for await (const part of read(source())) if (part.length > headBytes) break
      } catch (error) {
        expect(error).toMatchObject({ code: 'AUTHENTICATION_FAILED' })
      }
      expect(isClosed).toBe(true)
    }
  })

  test('takes bytes alone, and a key', async () => {
    expect((await all(sealStream(['text' as never], small))).code).toBe('INVALID_VALUE')
    expect((await all(openStream([7 as never], at))).code).toBe('INVALID_VALUE')
    expect((await all(sealStream([], { ...small, key: 7 as never }))).code).toBe('INVALID_KEY')
    expect((await all(openStream([], at))).code).toBe('CORRUPT')
    expect((await all(sealStream([], { ...small, chunkBytes: 1_000 }))).code).toBe('INVALID_CONFIG')
  })
})

function halfZero(length: number): Buffer {
  const value = Buffer.alloc(length)
  if (length > 1) value[Math.floor(length / 2)] = 1
  return value
}

describe('a stream whose bytes were changed', () => {
  /** Bytes, then zeros without an end; counts what is taken. */
  function endless(bytes: Bytes) {
    const taken = { bytes: 0, isClosed: false }
    async function* source(): AsyncGenerator<Bytes> {
      try {
        yield bytes
        for (const more = new Uint8Array(1 << 20); ; taken.bytes += more.length) yield more
      } finally {
        taken.isClosed = true
      }
    }
    return { taken, source: source() }
  }

  test('is refused within bounds, whichever bit of its header was flipped', async () => {
    const bytes = await sealed(randomBytes(100))
    for (let bit = 0; bit < headBytes * 8; bit++) {
      const copy = Buffer.from(bytes)
      copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7))
      const { taken, source } = endless(copy)
      const { code } = await all(openStream(source, { ...at, maxBytes: 4_000_000 }))
      expect(
        ['AUTHENTICATION_FAILED', 'CORRUPT', 'UNKNOWN_KEY_ID', 'VALUE_TOO_LARGE'],
        `bit ${bit}`,
      ).toContain(code)
      expect(taken, `bit ${bit}`).toMatchObject({ isClosed: true })
      expect(taken.bytes, `bit ${bit}`).toBeLessThan(20_000_000)
    }
  })

  test('has a bound of its own where none is given', async () => {
    const bytes = await sealed(randomBytes(100))
    bytes[6] = (bytes[6] as number) & ~16
    const { taken, source } = endless(bytes)
    expect(await all(openStream(source, at))).toMatchObject({ code: 'VALUE_TOO_LARGE' })
    expect(taken.bytes).toBeLessThan(70_000_000)
  })

  test('may be one piece as long as maxBytes, and no longer', async () => {
    const envelope = seal(randomBytes(10_000), at)
    const { length } = envelope
    expect((await all(openStream([envelope], { ...at, maxBytes: length }))).code).toBeUndefined()
    expect((await all(openStream([envelope], { ...at, maxBytes: length - 1 }))).code).toBe('VALUE_TOO_LARGE')
    expect((await all(openStream([envelope], { ...at, maxBytes: Number.NaN }))).code).toBe('INVALID_CONFIG')
  })
})

describe('a source', () => {
  const uses: readonly [string, (source: Readable) => Promise<unknown>][] = [
    [
      'a consumer that leaves after the header',
      async (source) => {
        for await (const _ of sealStream(source, at)) break
      },
    ],
    ['a bad option of sealStream', (source) => all(sealStream(source, { ...at, chunkBytes: 3 }))],
    ['an unknown option of sealStream', (source) => all(sealStream(source, { ...at, typo: 1 } as never))],
    ['a bad option of openStream', (source) => all(openStream(source, { ...at, key: 1 } as never))],
    ['an unknown option of openStream', (source) => all(openStream(source, { ...at, typo: 1 } as never))],
    ['a time-out that is none', (source) => all(openStream(source, { ...at, keys: {} } as never))],
    ['garbage', (source) => all(openStream(source, at))],
    ['its end', (source) => all(sealStream(source, at))],
  ]
  test.each(uses)('is closed by %s', async (_, use) => {
    const source = Readable.from([Buffer.alloc(500), Buffer.alloc(500)], { objectMode: false })
    await use(source)
    await vi.waitFor(() => expect(source.destroyed).toBe(true))
  })

  test('that is a stream of the web, or a generator, is closed too', async () => {
    let isCancelled = false
    const web = new ReadableStream<Uint8Array>({
      cancel: () => {
        isCancelled = true
      },
    })
    await all(sealStream(web as never, { ...at, chunkBytes: 3 }))
    expect(isCancelled).toBe(true)
    const generator = inPieces(randomBytes(10), new Random(1))
    await all(sealStream(generator, { ...at, chunkBytes: 3 }))
    expect(await generator.next()).toEqual({ done: true, value: undefined })
  })
})
