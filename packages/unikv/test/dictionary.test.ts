import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compress, decompress, dictionaryId } from '@unikv/compression'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../src/cli/program.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-dictionary-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function train(...args: readonly string[]): Promise<{ code: number; out: string; errors: string }> {
  let out = ''
  let errors = ''
  const code = await run({
    arguments: ['dictionary', 'train', ...args],
    out: (text) => void (out += text),
    error: (text) => void (errors += text),
    columns: undefined,
    onInterrupt: () => {},
  })
  return { code, out, errors }
}

const record = (n: number): string =>
  JSON.stringify({
    id: `customer-${n * 7919}`,
    plan: n % 3 ? 'enterprise' : 'free',
    createdAt: 1e12 + n * 1e7,
  })

describe('unikv dictionary train', () => {
  test('makes a dictionary of files in folders, and tells what it brings', async () => {
    const samples = join(folder, 'samples')
    await mkdir(join(samples, 'inner'), { recursive: true })
    for (let n = 0; n < 100; n++)
      await writeFile(join(samples, n % 2 ? 'inner' : '.', `${n}.json`), record(n))
    await writeFile(join(samples, '.hidden'), 'never read '.repeat(100))
    const out = join(folder, 'customers.dict')
    const result = await train(samples, '--out', out, '--max-bytes', '1Ki')
    const dictionary = await readFile(out)
    expect(result.code).toBe(0)
    expect(result.out).toContain(
      `Dictionary ${dictionaryId(dictionary)}: ${dictionary.length} bytes, of 80 samples.`,
    )
    expect(result.out).toMatch(/saves [5-9]\d % of the stored bytes/)
    expect(dictionary.length).toBeLessThanOrEqual(1024)
    expect(dictionary.includes('never read')).toBe(false)
    const value = Buffer.from(record(1000))
    const frame = await compress(value, { algorithm: 'deflate', dictionary })
    expect(frame.length).toBeLessThan(value.length / 2)
    expect(await decompress(frame, { dictionaries: [dictionary] })).toEqual(value)
  })

  test('takes each line of a file as a sample', async () => {
    const file = join(folder, 'log.jsonl')
    await writeFile(file, Array.from({ length: 50 }, (_, n) => `${record(n)}\n`).join(''))
    const result = await train(file, '--lines', '--out', join(folder, 'log.dict'), '--algorithm', 'zstd')
    expect([result.code, result.errors]).toEqual([0, ''])
    expect(result.out).toContain('of 40 samples')
    expect(result.out).toContain('zstd, dictionary')
  })

  test('warns where a dictionary does not pay', async () => {
    const file = join(folder, 'large')
    const lines = Array.from({ length: 40 }, (_, n) =>
      Array.from({ length: 300 }, (_, i) => ((n * 300 + i + 7) ** 3 % 99_991).toString(36)).join(' '),
    )
    await writeFile(file, lines.join('\n'))
    const result = await train(file, '--lines', '--out', join(folder, 'large.dict'), '--max-bytes', '256')
    expect(result.out).toMatch(
      /Warning: the dictionary saves only -?\d % of the stored bytes\. It is not worth it/,
    )
  })

  test.skipIf(process.platform === 'win32')(
    'refuses a pipe, which it could wait for without end',
    async () => {
      const pipe = join(folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      const { code, errors } = await train(pipe, '--out', join(folder, 'pipe.dict'))
      expect([code, errors]).toEqual([2, expect.stringContaining('is neither a file nor a folder')])
    },
  )

  test('never writes over a file: records may need it', async () => {
    const file = join(folder, 'log.jsonl')
    const out = join(folder, 'old.dict')
    await writeFile(file, Array.from({ length: 50 }, (_, n) => `${record(n)}\n`).join(''))
    await writeFile(out, 'in use')
    const result = await train(file, '--lines', '--out', out)
    expect(result.code).toBe(2)
    expect(result.errors).toContain('exists')
    expect(await readFile(out, 'utf8')).toBe('in use')
  })

  test('one huge file leaves room for the small ones beside it', async () => {
    const many = join(folder, 'many')
    await mkdir(many)
    await writeFile(join(many, '0.log'), '')
    await truncate(join(many, '0.log'), 2 ** 31)
    for (let n = 1; n <= 50; n++) await writeFile(join(many, `${n}.json`), record(n))
    const { code, out, errors } = await train(many, '--out', join(folder, 'many.dict'))
    expect([code, errors]).toEqual([0, ''])
    expect(out).toContain('of 41 samples.')
  })

  test.each([
    ['in a folder that is not there', 'no/x'],
    ['without a name', ''],
  ])('refuses a dictionary %s before it reads samples', async (_, out) => {
    const { code, errors } = await train('/absent', '--out', out && join(folder, out))
    expect([code, errors]).toEqual([2, expect.stringMatching(/The file .* cannot be written \(ENOENT\)/)])
  })

  test.each([
    ['a path that does not exist', ['/absent'], 'cannot be read'],
    ['too few samples', [import.meta.filename], 'at least 8 non-empty samples'],
    ['a size that is none', [import.meta.filename, '--max-bytes', 'much'], 'much'],
    ['a size that is too large', [import.meta.filename, '--lines', '--max-bytes', '1M'], '131072'],
  ])('refuses %s with one sentence', async (_, args, message) => {
    const result = await train(...args, '--out', join(folder, 'none.dict'))
    expect(result.code).toBe(2)
    expect(result.errors).toContain(message)
    await expect(readFile(join(folder, 'none.dict'))).rejects.toThrow('ENOENT')
  })
})
