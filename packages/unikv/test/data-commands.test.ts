import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStores } from '@unikv/manager'
import { beforeAll, expect, test } from 'vitest'
import { run } from '../src/cli/program.ts'
import { inProcess, main, output, root, unikv } from './command-line.ts'

const lmdb = `lmdb:${join(root, 'data')}`

beforeAll(async () => {
  await writeFile(
    join(root, 'unikv.config.yaml'),
    `stores:\n  users: { url: 'lmdb:${join(root, 'users')}', layers: [json] }\n  raw: lmdb:${join(root, 'raw')}\n  gone: lmdb:./gone\n`,
  )
})

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

test('values that JSON cannot hold are named in it', async () => {
  const config = {
    stores: { own: { url: `lmdb:${join(root, 'structured')}`, layers: ['structured'] } },
  } as const
  const { stores, close } = await openStores(config)
  const value = { n: 5n, m: new Map([['a', new Set([1])]]), b: Buffer.from('x'), x: Number.NaN }
  const circle: unknown[] = []
  circle.push(circle)
  await stores.own.setMany([
    ['a', value],
    ['circle', circle],
  ])
  await close()
  await writeFile(join(root, 'structured.json'), JSON.stringify(config))
  const line = await output('get', 'own', 'a', '--config', 'structured.json')
  expect(JSON.parse(line)).toEqual({
    n: { bigint: '5' },
    m: { map: [['a', { set: [1] }]] },
    b: { base64: 'eA==' },
    x: { number: 'NaN' },
  })
  const { code, err } = await inProcess(['get', 'own', 'circle', '--config', 'structured.json'])
  expect([code, err]).toEqual([2, 'unikv: A value contains itself, so it cannot be shown as JSON.\n'])
})

test('nothing more is read when the reader of the output has gone', async () => {
  for (const key of ['1', '2', '3', '4']) await output('set', lmdb, `pipe/${key}`, 'x')
  const scanned = async (...args: readonly string[]): Promise<string> => {
    let out = ''
    const drained = async (): Promise<boolean> => out.split('\n').length <= 2
    const write = (text: string): void => void (out += text)
    const terminal = { out: write, drained, error: write, columns: undefined, onInterrupt: () => {} }
    expect(await run({ arguments: args, ...terminal })).toBe(0)
    return out
  }
  expect(await scanned('scan', lmdb, '--prefix', 'pipe/')).toBe('pipe/1\npipe/2\n')
  expect(await scanned('scan', lmdb, '--prefix', 'pipe/', '--values')).toBe('pipe/1\tx\npipe/2\tx\n')
  expect(await scanned('get', lmdb, 'pipe/1', 'pipe/2', 'pipe/3')).toBe('x\nx\n')
})

test('a terminal sees control characters as text, a pipe as they are', async () => {
  const key = 'esc/\u001b[2J\nnext\u202e\u200b'
  await output('set', lmdb, key, 'line\n\u001b]0;title\u0007')
  const shown = async (...args: readonly string[]): Promise<string> => {
    let out = ''
    const write = (text: string): void => void (out += text)
    await run({ arguments: args, out: write, error: write, columns: 80, width: 80, onInterrupt: () => {} })
    return out
  }
  expect(await shown('scan', lmdb, '--prefix', 'esc/')).toBe('esc/\\u001b[2J\\u000anext\\u202e\\u200b\n')
  expect(await shown('get', lmdb, key)).toBe('line\n\\u001b]0;title\\u0007\n')
  expect(await output('scan', lmdb, '--prefix', 'esc/')).toBe(`${key}\n`)
})

test('numbers that JSON keeps are stored, and digits in texts are no numbers', async () => {
  const value = '[9007199254740992,1e21,0.1,"9007199254740993\\\\",{"12345678901234567890":1}]'
  await output('set', lmdb, 'numbers', value, '--as', 'json')
  expect(await output('get', lmdb, 'numbers', '--as', 'json')).toBe(`${value.replace('1e21', '1e+21')}\n`)
})

test('a value from standard input, byte by byte', async () => {
  const child = spawn(process.execPath, [main, 'set', lmdb, 'piped', '-'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end('line one\nline two\n')
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
  expect(await output('get', lmdb, 'piped')).toBe('line one\nline two\n\n')
})

test('a value that is missing changes nothing, though there is a standard input', async () => {
  await output('set', lmdb, 'kept', 'whole')
  const { code, err } = await unikv(['set', lmdb, 'kept'])
  expect([code, err]).toEqual([2, expect.stringContaining('There is no value')])
  expect(await output('get', lmdb, 'kept')).toBe('whole\n')
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
  [['get', './data', 'x'], "'./data' is neither a URL, such as lmdb:./data, nor the name of a store"],
  [['count', 'gone'], `There is no store: ${join(root, 'gone')} does not exist.`],
  [['get', lmdb, 'x', '--config', 'c.yaml'], '--config is for a store by its name'],
  [['get', lmdb, 'a', 'b', '--out', 'f'], '--out is for the value of one key'],
  [['get', lmdb, 'c', '--out', '/no/such/file'], 'The file /no/such/file cannot be written (ENOENT).'],
  [['get', lmdb, ''], 'A key must not be empty.'],
  [['count', lmdb, '--namespace', ''], 'A namespace name must be'],
  [['set', lmdb, 'x', 'v', '--file', 'f'], 'Give a value or --file, not both.'],
  [['set', lmdb, 'x'], 'There is no value: give one, --file FILE, or - for standard input.'],
  [['delete', lmdb, '--prefix', '', '--yes'], '--prefix is empty. For all records, write --all.'],
  [['set', lmdb, 'x', '--file', 'missing'], 'cannot be read (ENOENT)'],
  [['set', 'users', 'x', '{secret: 1}'], 'The value is not JSON'],
  [['set', lmdb, 'x', '["1\\"", 9007199254740993]', '--as', 'json'], 'would be rounded'],
  [['set', lmdb, 'x', '1'.repeat(400), '--as', 'json'], 'would be rounded'],
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

test.each(['lmdb:./no-l', 'sqlite:./no-s.db', 'file:./no-f'])(
  'a command that needs records does not make a store of a mistyped path: %s',
  async (url) => {
    const before = await readdir(root)
    for (const command of [
      ['get', url, 'a'],
      ['scan', url],
      ['count', url],
      ['delete', url, 'a'],
    ]) {
      const { code, out, err } = await inProcess(command)
      expect([code, out]).toEqual([2, ''])
      expect(err).toMatch(/^unikv: There is no store: \S+ does not exist\.\n$/)
    }
    expect(await readdir(root)).toEqual(before)
  },
)
