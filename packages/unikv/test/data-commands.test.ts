import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { run } from '../src/cli/program.ts'
import { inProcess, main, root } from './command-line.ts'

const lmdb = `lmdb:${join(root, 'data')}`

beforeAll(async () => {
  await writeFile(
    join(root, 'unikv.config.yaml'),
    `stores:\n  users: { url: 'lmdb:${join(root, 'users')}', layers: [json] }\n  raw: lmdb:${join(root, 'raw')}\n`,
  )
})

/** The output of a command that ends well. */
async function output(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await inProcess(args)
  expect([code, err]).toEqual([0, ''])
  return out
}

test('text by URL: set, get, scan, count, delete', async () => {
  await output('set', lmdb, 'a', 'hello')
  await output('set', lmdb, 'b', 'two', '--ttl', '1h')
  expect(await output('get', lmdb, 'a', 'b')).toBe('hello\ntwo\n')
  expect(await output('scan', lmdb)).toBe('a\nb\n')
  expect(await output('scan', lmdb, '--values', '--reverse', '--limit', '1')).toBe('b\ttwo\n')
  expect(await output('scan', lmdb, '--from', 'b')).toBe('b\n')
  expect(await output('count', lmdb, '--prefix', 'a')).toBe('1\n')
  const { key, value, expiresAt } = JSON.parse(await output('get', lmdb, 'b', '--json'))
  expect([key, value]).toEqual(['b', 'two'])
  expect(expiresAt).toBeGreaterThan(Date.now() + 3_000_000)
  await output('delete', lmdb, 'a')
  expect(await output('count', lmdb)).toBe('1\n')
  expect(await output('delete', lmdb, '--all', '--yes')).toBe('Removed 1 records.\n')
})

test('by a name of the configuration values are what its layers say', async () => {
  await output('set', 'users', 'ada', '{"name":"Ada","tags":[1,null]}')
  expect(await output('get', 'users', 'ada')).toBe('{"name":"Ada","tags":[1,null]}\n')
  await output('set', 'raw', 'x', 'bytes')
  expect(await output('get', 'raw', 'x')).toBe(`${Buffer.from('bytes').toString('base64')}\n`)
})

test('bytes from a file come back into a file as they were', async () => {
  const bytes = Buffer.from([0, 255, 10, 13, 0])
  await writeFile(join(root, 'in.bin'), bytes)
  await output('set', lmdb, 'picture', '--file', 'in.bin', '--as', 'bytes')
  await output('get', lmdb, 'picture', '--as', 'bytes', '--out', 'out.bin')
  expect(await readFile(join(root, 'out.bin'))).toEqual(bytes)
})

test('a value from standard input, byte by byte', async () => {
  const child = spawn(process.execPath, [main, 'set', lmdb, 'piped', '-'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end('line one\nline two\n')
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
  expect(await output('get', lmdb, 'piped')).toBe('line one\nline two\n\n')
})

test('conditions hold, and a key that is not there is a failure', async () => {
  const { version } = JSON.parse(await output('set', lmdb, 'c', '1', '--if-absent', '--json'))
  expect((await inProcess(['set', lmdb, 'c', '2', '--if-absent'])).code).toBe(1)
  await output('set', lmdb, 'c', '2', '--if-version', version)
  const { code, out, err } = await inProcess(['get', lmdb, 'c', 'none'])
  expect([code, out, err]).toEqual([1, '2\n', 'unikv: There is no record with the key "none".\n'])
})

test('many records are removed after a yes, or with --yes', async () => {
  const questions: string[] = []
  const removing = async (answer: boolean | undefined): Promise<number> => {
    const confirm = async (question: string): Promise<boolean> => {
      questions.push(question)
      return answer as boolean
    }
    return run({
      arguments: ['delete', lmdb, '--prefix', 'many/'],
      out: () => {},
      error: () => {},
      columns: undefined,
      onInterrupt: () => {},
      confirm: answer === undefined ? undefined : confirm,
    })
  }
  for (const key of ['many/1', 'many/2']) await output('set', lmdb, key, 'x')
  expect(await removing(undefined)).toBe(2)
  expect(await removing(false)).toBe(1)
  expect(await output('count', lmdb, '--prefix', 'many/')).toBe('2\n')
  expect(await removing(true)).toBe(0)
  expect(await output('count', lmdb, '--prefix', 'many/')).toBe('0\n')
  expect(questions[0]).toContain('Remove 2 records (with the prefix "many/")')
})

test.each([
  [['get', 'nobody', 'x'], "there is no store 'nobody'"],
  [['get', 'reddis://h', 'x'], "No store has the scheme 'reddis:'"],
  [['get', 'users', 'x', '--as', 'text'], '--as is for a URL'],
  [['get', lmdb, 'x', '--config', 'c.yaml'], '--config is for a store by its name'],
  [['get', lmdb, 'a', 'b', '--out', 'f'], '--out is for the value of one key'],
  [['set', lmdb, 'x', 'v', '--file', 'f'], 'Give a value or --file, not both.'],
  [['set', lmdb, 'x'], 'Give a value, --file FILE, or - for standard input.'],
  [['set', lmdb, 'x', '--file', 'missing'], 'cannot be read (ENOENT)'],
  [['set', 'users', 'x', '{secret: 1}'], 'The value is not JSON'],
  [['set', lmdb, 'x', 'v', '--ttl', 'soon'], "'soon' is not a time"],
  [['set', lmdb, 'x', 'v', '--if-absent', '--if-version', '1'], 'Choose --if-absent or --if-version'],
  [['delete', lmdb], 'Name keys, or --prefix, or --all.'],
  [['delete', lmdb, 'a', '--all'], 'Name keys, or --prefix, or --all.'],
  [['scan', 'memcached://h'], 'cannot list its keys'],
  [['count', 'memcached://h'], 'cannot list its keys'],
])('%j is refused in one sentence, without the value', async (args, words) => {
  const { code, err } = await inProcess(args)
  expect(err).toContain(words)
  expect(err).not.toContain('secret')
  expect(err.trimEnd()).not.toContain('\n')
  expect(code).toBe(2)
})
