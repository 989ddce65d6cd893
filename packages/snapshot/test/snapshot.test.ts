import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createReadStream, existsSync, mkdtempSync } from 'node:fs'
import { readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { keyValue, type StoreError, text } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { keyring } from '@unikv/encryption'
import { lmdb } from '@unikv/lmdb'
import { Random } from '@unikv/test-kit/schedules'
import { afterAll, describe, expect, test } from 'vitest'
import { copy, restore, snapshot } from '../src/index.ts'
import { contents, filled, refusal, wanted } from './tools.ts'

/** Damages of each kind. */
const damages = Number(process.env['UNIKV_DAMAGES'] ?? 6)
const folder = mkdtempSync(join(tmpdir(), 'unikv-snapshot-'))
afterAll(() => rm(folder, { recursive: true }))

let files = 0
const path = () => join(folder, `${files++}.snapshot`)
const keys = keyring({ id: 'test', primary: 'k1', keys: { k1: randomBytes(32) } })

const forms = [
  ['gzip', {}],
  ['brotli', { compression: 'brotli' }],
  ['not compressed', { compression: 'none' }],
  ['encrypted', { keys }],
  ['compressed and encrypted', { keys, compression: 'gzip' }],
] as const

test.each(forms)('%s: a store comes back from a file as it was', async (_name, options) => {
  const source = await filled(memory())
  const file = path()
  const report = await snapshot(source, file, options)
  expect(report).toMatchObject({ records: 2_503, fileBytes: (await stat(file)).size })
  expect(existsSync(`${file}.partial`)).toBe(false)
  const target = lmdb({ path: path() })
  const restored = await restore(file, target, 'keys' in options ? { keys } : {})
  expect(restored).toMatchObject({ records: 2_503, expired: 0 })
  expect(restored.verification).toMatchObject({ compared: 2_503, missing: 0, different: 0, extra: 0 })
  expect(await contents(target)).toEqual(await wanted(source))
  await target.close()
})

test('long values, empty ones, documents, and a namespace', async () => {
  const source = memory()
  const kv = keyValue(source)
  await kv.setMany([
    ['long', randomBytes(3_000_000)],
    ['empty', new Uint8Array()],
  ])
  await kv.namespace('a').set('b', Buffer.from('c'))
  const [all, one] = [path(), path()]
  await snapshot(source, all)
  await snapshot(kv.namespace('a'), one)
  const [everything, part] = [memory(), memory()]
  await restore(all, everything)
  expect(await contents(everything)).toEqual(await contents(source))
  expect((await restore(one, part)).records).toBe(1)
  expect([...(await contents(part)).keys()]).toEqual(['\u0001a\u0002b'])
  await expect(restore(one, keyValue(memory()).namespace('other'))).rejects.toEqual(
    refusal('INVALID_ARGUMENT', /another one: other/),
  )
})

test('the first snapshot of this format is still read', async () => {
  const golden = await readFile(new URL('golden/format-1.snapshot.base64', import.meta.url), 'latin1')
  const file = path()
  await writeFile(file, Buffer.from(golden, 'base64'))
  const target = memory({ clock: () => 1_700_000_000_000 })
  expect(await restore(file, target)).toMatchObject({
    records: 6,
    verification: { missing: 0, different: 0, extra: 0 },
  })
  expect(Object.fromEntries(await contents(target))).toEqual({
    plain: ['a value', '000102030405060708090a0b', undefined],
    empty: ['', '0c0d0e0f1011121314151617', undefined],
    'expiring ä': ['one hour', '18191a1b1c1d1e1f20212223', 4_102_444_800_000],
    '\u0001users\u0002ada': ['{"name":"Ada"}', '2425262728292a2b2c2d2e2f', undefined],
    '\u0000ckey\u00000': ['a record of a layer', '303132333435363738393a3b', undefined],
    long: ['again and '.repeat(60), '3c3d3e3f4041424344454647', undefined],
  })
})

test('by streams', async () => {
  const source = await filled(memory())
  const out = new PassThrough()
  const [bytes] = await Promise.all([buffer(out), snapshot(source, out, { keys }).then(() => out.end())])
  const into = new PassThrough()
  into.end(bytes)
  const target = memory()
  await restore(into, target, { keys })
  expect(await contents(target)).toEqual(await wanted(source))
})

test('records that ran out of time are left out and counted', async () => {
  const source = memory({ clock: () => 0 })
  const kv = keyValue(source, [text()], { clock: () => 0 })
  await kv.set('over', 'x', { ttlMs: 1_000 })
  await kv.set('ever', 'x')
  const file = path()
  await snapshot(source, file)
  expect(await restore(file, memory())).toMatchObject({
    records: 1,
    expired: 1,
    verification: { missing: 0, different: 0, extra: 0 },
  })
})

test('records that ran out of time are not missed in a target that keeps them for ever', async () => {
  const clock = () => 0
  const source = memory({ clock })
  await keyValue(source, [text()], { clock }).set('over', 'x', { ttlMs: 1_000 })
  const file = path()
  await snapshot(source, file)
  const inner = memory()
  const forever = { ...inner, capabilities: { ...inner.capabilities, ttl: false } }
  expect(await restore(file, forever as never, { dropExpiry: true })).toMatchObject({
    expired: 1,
    verification: { missing: 0, different: 0, extra: 0 },
  })
})

test('streams that fail, are stuck or give no bytes end the work, and not the process', async () => {
  const source = await filled(memory(), 10)
  const stop = new AbortController()
  const options = { signal: stop.signal }
  const [full, silent] = [new PassThrough({ highWaterMark: 1 }), new PassThrough()]
  const stuck = [snapshot(source, full, options), restore(silent, memory(), options)]
  setTimeout(() => stop.abort(), 50)
  for (const one of stuck) await expect(one).rejects.toEqual(refusal('ABORTED', /^Stopped/))
  expect(full.destroyed).toBe(false)
  const cases: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
    [() => restore(createReadStream(path()), memory()), /input cannot be read \(ENOENT\)/],
    [() => restore(Readable.from(['text']), memory()), /must be a stream of bytes/],
    [() => snapshot(source, new PassThrough().destroy()), /output cannot be written/],
    [() => snapshot(source, Buffer.from('x') as never), /takes a path or a writable stream, got a/],
  ]
  for (const [work, words] of cases) await expect(work()).rejects.toEqual(refusal('INVALID_ARGUMENT', words))
})

test.each([
  ['EPIPE', 'UNAVAILABLE'],
  ['ENOSPC', 'STORE_FULL'],
])('a stream that fails with %s is %s, and no wrong argument', async (code, kind) => {
  const failure = Object.assign(new Error('The stream has failed.'), { code })
  const output = new Writable({ write: (_piece, _encoding, done) => done(failure) })
  await expect(snapshot(await filled(memory(), 10), output)).rejects.toMatchObject({
    code: kind,
    cause: failure,
  })
})

test('folders and devices are not replaced, a link stands for its file, and a pipe can be restored', async () => {
  const source = await filled(memory(), 10)
  const [file, link, pipe] = [path(), path(), path()]
  for (const [place, words] of [
    [folder, /is a folder/],
    ['/dev/null', /a pipe or a device/],
  ] as const)
    await expect(snapshot(source, place, { overwrite: true })).rejects.toEqual(
      refusal('INVALID_ARGUMENT', words),
    )
  expect(existsSync(`${folder}.partial`)).toBe(false)
  await writeFile(file, 'old')
  await symlink(file, link)
  await snapshot(source, link, { overwrite: true })
  expect((await restore(file, memory())).records).toBe(13)
  execFileSync('mkfifo', [pipe])
  const [{ records }] = await Promise.all([restore(pipe, memory()), writeFile(pipe, await readFile(file))])
  expect(records).toBe(13)
})

test('files and targets that are there are not replaced without a word', async () => {
  const source = await filled(memory(), 10)
  const file = path()
  await snapshot(source, file)
  await expect(snapshot(source, file)).rejects.toEqual(refusal('INVALID_ARGUMENT', /is there already/))
  await snapshot(source, file, { overwrite: true })
  await expect(restore(file, source)).rejects.toEqual(refusal('INVALID_ARGUMENT', /has records already/))
  await expect(restore(path(), memory())).rejects.toEqual(
    refusal('INVALID_ARGUMENT', /cannot be read \(ENOENT\)/),
  )
  await expect(snapshot(source, join(folder, 'none', 'x'))).rejects.toEqual(
    refusal('INVALID_ARGUMENT', /cannot be written \(ENOENT\)/),
  )
})

test.each([
  [null, {}, /takes a path or a writable stream, got null/],
  ['', {}, /must not be empty/],
  ['x', { compression: 'lz4' }, /`compression` of snapshot\(\) must be 'gzip' or/],
  ['x', { keys: 'secret', allowEmpty: true }, /keys must be the result of keyring/],
])('mistake %#', async (to, options, words) => {
  await expect(snapshot(memory(), to as never, options as never)).rejects.toThrow(words)
  expect(existsSync('x')).toBe(false)
})

test('of two programs that write one file one is refused, and the file is whole', async () => {
  const source = await filled(memory())
  const file = path()
  const ends = await Promise.allSettled([snapshot(source, file), snapshot(source, file)])
  expect(ends.filter(({ status }) => status === 'rejected').length).toBeLessThan(2)
  expect(existsSync(`${file}.partial`)).toBe(false)
  expect((await restore(file, memory())).records).toBe(2_503)
})

test('a snapshot that a killed process has left is replaced', async () => {
  const file = path()
  await writeFile(`${file}.partial`, 'half of a snapshot')
  await snapshot(await filled(memory(), 10), file)
  expect(existsSync(`${file}.partial`)).toBe(false)
  expect((await restore(file, memory())).records).toBe(13)
})

test('keys must fit: none, others, and for a file that is not encrypted', async () => {
  const source = await filled(memory(), 10)
  const [plain, closed] = [path(), path()]
  await snapshot(source, plain)
  await snapshot(source, closed, { keys })
  const others = keyring({ id: 'test', primary: 'k1', keys: { k1: randomBytes(32) } })
  const unknown = keyring({ id: 'test', primary: 'k2', keys: { k2: randomBytes(32) } })
  const target = memory()
  await expect(restore(closed, target)).rejects.toEqual(refusal('INVALID_ARGUMENT', /is encrypted/))
  await expect(restore(closed, target, { keys: others })).rejects.toEqual(
    refusal('AUTHENTICATION_FAILED', /Nothing was written/),
  )
  await expect(restore(closed, target, { keys: unknown })).rejects.toEqual(
    refusal('UNKNOWN_KEY_ID', /Nothing was written/),
  )
  await expect(restore(plain, target, { keys })).rejects.toEqual(refusal('CORRUPT', /not encrypted/))
  expect((await readFile(closed)).includes('value 3')).toBe(false)
  expect((await contents(target)).size).toBe(0)
})

test('a restore that was stopped goes on with the same file, and with no other', async () => {
  const source = await filled(memory(), 20_000)
  const [file, other] = [path(), path()]
  await snapshot(source, file)
  await snapshot(await filled(memory(), 10), other)
  const target = lmdb({ path: path() })
  const stop = new AbortController()
  const stopped = restore(file, target, {
    signal: stop.signal,
    onProgress: ({ phase, records }) => phase === 'copy' && records > 5_000 && stop.abort(),
  })
  await expect(stopped).rejects.toEqual(refusal('ABORTED', /can be resumed/))
  await expect(restore(other, target, { resume: true })).rejects.toEqual(
    refusal('INVALID_ARGUMENT', /another source/),
  )
  await expect(copy(source, target, { resume: true })).rejects.toEqual(
    refusal('INVALID_ARGUMENT', /another source/),
  )
  expect(await restore(file, target, { resume: true })).toMatchObject({ records: 20_003, isResumed: true })
  expect(await contents(target)).toEqual(await wanted(source))
  await target.close()
})

test.each(['copy', 'check'])('a snapshot that was stopped in the phase %s leaves no file', async (where) => {
  const file = path()
  const stop = new AbortController()
  const stopped = snapshot(await filled(memory()), file, {
    signal: stop.signal,
    onProgress: ({ phase }) => phase === where && stop.abort(),
  })
  await expect(stopped).rejects.toEqual(refusal('ABORTED', /Stopped/))
  expect([existsSync(file), existsSync(`${file}.partial`)]).toEqual([false, false])
})

describe(`damages, ${damages} of each kind`, () => {
  const seed = Number(process.env['UNIKV_SEED'] ?? 1)
  const random = new Random(seed)
  const below = (end: number): number => random.below(end)

  /** Where blocks begin and end, in a snapshot that is not encrypted; else anywhere. */
  function piecesOf(bytes: Buffer): number[] {
    if (bytes.subarray(0, 4).toString('hex') !== '9e756b73')
      return Array.from({ length: 8 }, () => below(bytes.length)).sort((a, b) => a - b)
    const starts = [13 + bytes.readUInt32BE(9) + 32]
    for (let at = starts[0] as number; at < bytes.length; starts.push(at))
      at += 9 + bytes.readUInt32BE(at + 5) + 32
    return starts
  }

  const kinds: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    'a bit is flipped': (bytes) => {
      const copied = Buffer.from(bytes)
      const at = below(bytes.length)
      copied[at] = (copied[at] as number) ^ (1 << below(8))
      return copied
    },
    'the end is cut': (bytes) => bytes.subarray(0, below(bytes.length)),
    'bytes are inserted': (bytes) => {
      const at = below(bytes.length + 1)
      return Buffer.concat([bytes.subarray(0, at), randomBytes(1 + below(64)), bytes.subarray(at)])
    },
    'bytes are appended': (bytes) => Buffer.concat([bytes, randomBytes(1 + below(64))]),
    'blocks are swapped': (bytes) => {
      const pieces = piecesOf(bytes)
      const i = below(pieces.length - 2)
      const [a, b, c] = pieces.slice(i, i + 3) as [number, number, number]
      return Buffer.concat([
        bytes.subarray(0, a),
        bytes.subarray(b, c),
        bytes.subarray(a, b),
        bytes.subarray(c),
      ])
    },
    'a block is doubled': (bytes) => {
      const pieces = piecesOf(bytes)
      const i = below(pieces.length - 1)
      return Buffer.concat([bytes.subarray(0, pieces[i + 1]), bytes.subarray(pieces[i])])
    },
    'a block is missing': (bytes) => {
      const pieces = piecesOf(bytes)
      const i = below(pieces.length - 1)
      return Buffer.concat([bytes.subarray(0, pieces[i]), bytes.subarray(pieces[i + 1])])
    },
  }
  const codes = new Set(['CORRUPT', 'AUTHENTICATION_FAILED', 'UNKNOWN_KEY_ID', 'INVALID_ARGUMENT'])

  test.each([
    ['compressed', {}],
    ['encrypted', { keys }],
  ] as const)(
    '%s: each is refused, and nothing is written',
    async (_name, options) => {
      const source = memory()
      const kv = keyValue(source)
      await kv.setMany(Array.from({ length: 700 }, (_, i) => [`key ${i}`, randomBytes(700)] as const))
      const file = path()
      await snapshot(source, file, options)
      const bytes = await readFile(file)
      const target = memory()
      for (const [kind, damage] of Object.entries(kinds))
        for (let i = 0; i < damages; i++) {
          const damaged = damage(bytes)
          if (damaged.equals(bytes)) continue
          await writeFile(file, damaged)
          const error = await restore(file, target, options).then(
            () => undefined,
            (reason: StoreError) => reason,
          )
          expect(codes.has(error?.code ?? ''), `${kind} ${i}: ${error?.message}`).toBe(true)
          expect(error?.message).not.toContain('has records')
        }
      expect((await contents(target)).size).toBe(0)
    },
    3_600_000,
  )
})
