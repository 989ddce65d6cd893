import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isStoreError } from '@unikv/core'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { checkZstdFrame } from '../src/zstd/zstd-frame.ts'
import { nativeZstd } from '../src/zstd/zstd-native.ts'
import { packagedZstd } from '../src/zstd/zstd-package.ts'
import { codeOf, prose, record } from './samples.ts'

const dictionary = Buffer.from([1, 2, 3].map(record).join(''))
const values = [
  Buffer.from(record(9)),
  prose(3000),
  new Uint8Array(200_000),
  prose(150_000),
  randomBytes(70_000),
]

describe.each([
  ['without a dictionary', undefined],
  ['with a dictionary', dictionary],
])('zstd of the package, %s', (_, given) => {
  const packaged = packagedZstd(given)
  const native = nativeZstd(given) ?? packaged

  test('reads what the runtime writes, and the other way round', async () => {
    for (const value of values)
      for (const level of [1, 19]) {
        const [ours, theirs] = [packaged.compressNow(value, level), native.compressNow(value, level)]
        for (const body of [ours, theirs]) {
          expect(() => checkZstdFrame(body, value.length, given !== undefined)).not.toThrow()
          expect(Buffer.compare(packaged.decompressNow(body, value.length), value)).toBe(0)
          expect(Buffer.compare(native.decompressNow(body, value.length), value)).toBe(0)
        }
        expect(Buffer.compare(await packaged.compress(value, level), ours)).toBe(0)
        expect(Buffer.compare(await packaged.decompress(theirs, value.length), value)).toBe(0)
      }
  })

  test('keeps many values on its threads apart, good ones and bad ones', async () => {
    const body = packaged.compressNow(prose(100_000), 3)
    const results = await Promise.all(
      Array.from({ length: 20 }, async (__, i) => {
        if (i % 4 === 0) return codeOrError(packaged.decompress(body.subarray(0, 500 + i), 100_000))
        const value = prose(90_000 + i)
        return Buffer.compare(
          await packaged.decompress(await packaged.compress(value, 1), value.length),
          value,
        )
      }),
    )
    expect(results).toEqual(Array.from({ length: 20 }, (__, i) => (i % 4 === 0 ? 'an error' : 0)))
  })
})

const packagePath = JSON.stringify(createRequire(import.meta.url).resolve('@bokuweb/zstd-wasm'))

/** What a rejection is: not a StoreError yet, as the layer makes one of it. */
async function codeOrError(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'a value',
    (error: unknown) => (isStoreError(error) ? error.code : 'an error'),
  )
}

test('the package refuses values over 256 MiB before it makes room for them', async () => {
  const packaged = packagedZstd(undefined)
  expect(await codeOf(() => packaged.decompressNow(Buffer.alloc(10), 268_435_457))).toBe('VALUE_TOO_LARGE')
  expect(await codeOf(() => packaged.decompress(Buffer.alloc(10), 268_435_457))).toBe('VALUE_TOO_LARGE')
})

test('a process whose threads have nothing to do ends at once', async () => {
  expect(
    await printedBy(`import { runOnThread } from ${source('zstd-threads')}
      const bytes = new Uint8Array(100_000)
      runOnThread(${packagePath}, { verb: 'compress', bytes, level: 3 })
        .then((value) => console.log(value.length < 100))`),
  ).toBe('true\n')
})

test('an application that uses the package too, and begins it anew, changes nothing, nor is it changed', async () => {
  expect(
    await printedBy(`import { createRequire } from 'node:module'
      import { packagedZstd } from ${source('zstd-package')}
      const theirs = createRequire(import.meta.url)(${packagePath})
      const value = Buffer.from('what both compress '.repeat(50))
      const ours = packagedZstd(undefined)
      const frame = ours.compressNow(value, 3)
      await theirs.init()
      const same = [
        ours.compressNow(value, 3).equals(frame),
        ours.decompressNow(frame, value.length).equals(value),
        Buffer.from(theirs.decompress(theirs.compress(value, 3))).equals(value),
      ]
      console.log(same.join(' '))`),
  ).toBe('true true true\n')
})

test('a memory that is damaged is replaced, and not believed', async () => {
  expect(
    await printedBy(`import { packagedZstd } from ${source('zstd-package')}
      let memory
      const { Instance } = WebAssembly
      WebAssembly.Instance = function (...given) {
        const instance = new Instance(...given)
        memory = instance.exports.f
        return instance
      }
      const damage = () => new Uint8Array(memory.buffer).fill(0x55)
      const value = Buffer.from('what is kept '.repeat(500))
      const ours = packagedZstd(undefined)
      const frame = ours.compressNow(value, 3)
      const results = []
      for (let i = 0; i < 3; i++) {
        damage()
        results.push(ours.compressNow(value, 3).equals(frame))
        damage()
        results.push(ours.decompressNow(frame, value.length).equals(value))
      }
      console.log(results.join(' '))`),
  ).toBe('true true true true true true\n')
})

/** What a program of its own prints, which may import the sources here. */
async function printedBy(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    conditions: ['@unikv/source'],
    // What is required is found from here, as it is where the sources are.
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
  })
  const command = ['--input-type=module', '--eval', outputFiles[0]?.text as string]
  const { stdout } = await promisify(execFile)(process.execPath, command, { timeout: 30_000 })
  return stdout
}

function source(name: string): string {
  return JSON.stringify(fileURLToPath(new URL(`../src/zstd/${name}.ts`, import.meta.url)))
}

describe('a frame of Zstandard', () => {
  const value = prose(3000)
  const good = Buffer.from(packagedZstd(undefined).compressNow(value, 3))
  const changed = (at: number, byte: number): Buffer => {
    const body = Buffer.from(good)
    body[at] = byte
    return body
  }
  const raw = (length: number, last: number): number[] => [(length << 3) | last, length >> 5, length >> 13]
  const frame = (...parts: readonly number[][]): Buffer =>
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50, ...parts.flat()])

  test.each([
    ['another magic', changed(0, 0x29), 3000],
    ['a reserved bit', changed(4, good.readUInt8(4) | 8), 3000],
    ['the id of a dictionary', changed(4, good.readUInt8(4) | 1), 3000],
    ['another content size', good, 3001],
    ['a window of 16 MiB', Buffer.concat([frame().subarray(0, 5), Buffer.of(0x70, 1, 0, 0)]), 0],
    ['blocks that end too early', frame(raw(4, 0), [1, 2, 3, 4]), 4],
    ['a block that does not exist', frame([7, 0, 0]), 0],
    [
      'a block over 128 KiB',
      frame([((131_073 << 3) & 255) | 3, (131_073 >> 5) & 255, 131_073 >> 13, 0]),
      131_073,
    ],
    ['blocks that cannot reach the length', frame(raw(4, 1), [1, 2, 3, 4]), 5],
    ['very many blocks', frame(...Array.from({ length: 500 }, () => raw(0, 0)), raw(4, 1), [1, 2, 3, 4]), 4],
    ['anything behind it', frame(raw(4, 1), [1, 2, 3, 4, 5]), 4],
  ])('with %s is refused before it is decoded', (_, body, length) => {
    expect(() => checkZstdFrame(body, length, false)).toThrow(expect.objectContaining({ code: 'CORRUPT' }))
  })

  test('of stored and of repeated bytes is taken', () => {
    expect(() => checkZstdFrame(frame(raw(4, 1), [1, 2, 3, 4]), 4, false)).not.toThrow()
    expect(() => checkZstdFrame(frame([...raw(100_000, 3), 7]), 100_000, false)).not.toThrow()
  })
})
