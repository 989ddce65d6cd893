import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompressSync, constants, deflateRawSync } from 'node:zlib'
import { compress, dictionaryId } from '@unikv/compression'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from './killed-writer.ts'

// Bodies that would give 160 MiB and more, in frames that tell the 64 MiB which are allowed, each in a process of its own.

/** All of them, on this thread and on others; else each once. */
const isLong = process.env['UNIKV_BOMBS'] === 'all'

const MiB = 1_048_576
const cap = 64 * MiB
const dictionary = Buffer.from('a dictionary of some bytes, as values have them in common')

const zeros = Buffer.alloc(160 * MiB)
const raw = deflateRawSync(zeros)
const named = (body: Buffer): Buffer => Buffer.concat([Buffer.from(dictionaryId(dictionary), 'hex'), body])

/** 2,048 blocks of 128 KiB in 4 bytes each: the header tells no size (or the cap), and a window of 8 MiB. */
function zstdFrame(header: string): Buffer {
  const blocks = Array.from({ length: 2048 }, (_, i) =>
    Buffer.from([(131_072 << 3) | 2 | (i === 2047 ? 1 : 0), 131_072 >> 5, 131_072 >> 13, 0]),
  )
  return Buffer.concat([Buffer.from(`28b52ffd${header}`, 'hex'), ...blocks])
}

const tellsCap = Buffer.alloc(4)
tellsCap.writeUInt32LE(cap)
const snappyLength = Buffer.from([0x80, 0x80, 0x80, 0x20])

const bombs: readonly [string, 'gzip' | 'deflate' | 'brotli' | 'zstd' | 'lz4' | 'snappy', number, Buffer][] =
  [
    ['gzip', 'gzip', 1, Buffer.concat([Buffer.from('1f8b0800000000000003', 'hex'), raw, Buffer.alloc(8)])],
    ['deflate', 'deflate', 2, Buffer.concat([Buffer.from('789c', 'hex'), raw, Buffer.alloc(4)])],
    ['deflate with a dictionary', 'deflate', 130, named(raw)],
    ['brotli', 'brotli', 3, brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })],
    ['zstd', 'zstd', 4, zstdFrame('0068')],
    ['zstd that tells a size', 'zstd', 4, zstdFrame(`8068${tellsCap.toString('hex')}`)],
    ['zstd with a dictionary', 'zstd', 132, named(zstdFrame('0068'))],
    // one literal, and then itself again and again: 255 bytes for each ff, 64 for each three
    [
      'lz4',
      'lz4',
      5,
      Buffer.concat([
        Buffer.from('1f000100', 'hex'),
        Buffer.alloc(MiB, 0xff),
        Buffer.from('005000000000ff', 'hex'),
      ]),
    ],
    [
      'snappy',
      'snappy',
      6,
      Buffer.concat([snappyLength, Buffer.from([0, 0]), Buffer.alloc(9 * MiB, Buffer.from([0xfe, 1, 0]))]),
    ],
  ]

function frameOf(algorithm: number, body: Buffer): Buffer {
  const header = Buffer.from([0xc1, algorithm, 0, 0, 0, 0])
  header.writeUInt32BE(cap, 2)
  return Buffer.concat([header, body])
}

let folder: string

beforeAll(async () => {
  // in the workspace, where the optional packages are found
  folder = await mkdtemp(fileURLToPath(new URL('../../node_modules/.bombs-', import.meta.url)))
  await bundle(new URL('fixtures/bomb.ts', import.meta.url), join(folder, 'bomb.mjs'))
  await writeFile(join(folder, 'dictionary'), dictionary)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const runs = bombs.flatMap((bomb, i) =>
  (isLong ? [false, true] : [i % 2 > 0]).map(
    (threads) => [`${bomb[0]}, ${threads ? 'on other threads' : 'at once'}`, threads, bomb] as const,
  ),
)

test.each(runs)('a bomb stops at the cap: %s', async (name, threads, [, algorithm, id, body]) => {
  const file = (what: string): string => join(folder, `${name} ${what}`)
  const value = Buffer.alloc(threads ? 200_000 : 1000, 'some bytes ')
  const options = { algorithm, threads: false, ...(id >= 128 && { dictionary }) } as const
  await writeFile(file('frame'), frameOf(id, body))
  await writeFile(file('warm'), await compress(value, options))
  const command = [
    join(folder, 'bomb.mjs'),
    file('frame'),
    file('warm'),
    join(folder, 'dictionary'),
    String(threads),
  ]
  const { stdout } = await promisify(execFile)(process.execPath, command)
  const told = JSON.parse(stdout) as { warm: number; result: unknown; grownBytes: number }
  if (isLong) console.log(JSON.stringify({ bomb: name, grownMiB: told.grownBytes / MiB }))
  expect([told.warm, told.result]).toEqual([value.length, 'CORRUPT'])
  expect(told.grownBytes).toBeLessThan(cap + 24 * MiB)
})
