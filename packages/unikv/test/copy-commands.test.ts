import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { keyValue } from '@unikv/core'
import type { MemoryStore } from '@unikv/core/memory'
import { open } from '@unikv/stores'
import { beforeAll, expect, test } from 'vitest'
import { run } from '../src/cli/program.ts'
import { inProcess, output, root } from './command-line.ts'

const url = (name: string) => `lmdb:${join(root, name)}`

beforeAll(async () => {
  await writeFile(
    join(root, 'unikv.config.yaml'),
    `stores:\n  users: { url: '${url('users')}', layers: [json] }\n  files: { url: 'file:${join(root, 'files')}', layers: [json] }\n  texts: { url: '${url('texts')}', layers: [text] }\n`,
  )
  for (const name of ['ada', 'bob', 'eve'])
    await output('set', 'users', name, `{"name":"${name}"}`, '--ttl', '1h')
})

test('a copy by name, by URL and of a namespace, with expiries', async () => {
  expect(await output('copy', 'users', 'files')).toMatch(
    /^Copied 3 records \(51 B\) in [\d.]+ m?s\.\nVerified: all 3 are equal\.\n$/,
  )
  expect(await output('get', 'files', 'ada')).toBe('{"name":"ada"}\n')
  const { expiresAt } = JSON.parse(await output('get', 'files', 'bob', '--json'))
  expect(expiresAt).toBe(JSON.parse(await output('get', 'users', 'bob', '--json')).expiresAt)
  await output('set', url('users'), 'x', 'inside', '--namespace', 'a')
  const report = JSON.parse(await output('copy', url('users'), url('other'), '--namespace', 'a', '--json'))
  expect(report).toMatchObject({ records: 1, verification: { compared: 1, missing: 0 } })
  expect(await output('get', url('other'), 'x', '--namespace', 'a')).toBe('inside\n')
})

test('mistakes are one clear line and exit 2', async () => {
  const cases: readonly (readonly [args: readonly string[], err: string])[] = [
    [
      ['users', 'files'],
      'unikv: files: The target has records already. Use --overwrite, or choose another target.\n',
    ],
    [['users', url('users')], 'unikv: lmdb: The source and the target are the same place.\n'],
    [['users', 'none'], "unikv: stores.none: there is no store 'none'. Known: users, files, texts.\n"],
    [
      [url('a'), url('b'), '--config', 'x'],
      'unikv: --config is for stores by name, but two URLs were given.\n',
    ],
    [[url('typo'), url('b')], `unikv: There is no store: ${join(root, 'typo')} does not exist.\n`],
    [
      ['users', 'texts'],
      'unikv: texts: The source stores values by json, and the target by text, so the target could not read them. Records are copied as they are: give both the same layers.\n',
    ],
    [
      ['memcached://127.0.0.1:1', url('b')],
      'unikv: memcached: The source cannot list its keys, so they cannot be copied.\n',
    ],
  ]
  for (const [args, err] of cases)
    expect(await inProcess(['copy', ...args])).toEqual({ code: 2, out: '', err })
})

test('a store is not copied into itself by another name of its file, nor replaced by its snapshot', async () => {
  const same = { code: 2, out: '', err: 'unikv: sqlite: The source and the target are the same place.\n' }
  const inRoot = (name: string): string => join(root, name)
  const [own, hard, soft, folder] = [
    inRoot('own.db'),
    inRoot('hard.db'),
    inRoot('soft.db'),
    inRoot('own-files'),
  ]
  await output('set', `sqlite:${own}`, 'a', 'kept')
  await link(own, hard)
  await symlink(own, soft)
  for (const to of [`sqlite:${hard}`, `sqlite:${hard}?dataset=other`, `sqlite:${soft}`])
    expect(await inProcess(['copy', `sqlite:${own}`, to, '--overwrite'])).toEqual(same)
  await output('set', url('own'), 'a', 'kept')
  await output('set', `file:${folder}`, 'a', 'kept')
  const records = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  )
  const [record = ''] = records.map((one) => join(one.parentPath, one.name))
  const targets: readonly (readonly [from: string, file: string])[] = [
    [`sqlite:${own}`, own],
    [`sqlite:${own}`, hard],
    [`sqlite:${own}`, soft],
    [url('own'), join(inRoot('own'), 'data.mdb')],
    [`file:${folder}`, record],
  ]
  for (const [from, file] of targets) {
    for (const command of [
      ['snapshot', from, file, '--overwrite'],
      ['get', from, 'a', '--out', file],
    ]) {
      const { code, err } = await inProcess(command)
      const refusal = expect.stringMatching(/^unikv: \S+ is where \w+ keeps its records\. Choose/)
      expect([code, err]).toEqual([2, refusal])
    }
    expect(await output('get', from, 'a')).toBe('kept\n')
  }
  // Another table of the file, and another file beside the records, are other places.
  await output('copy', `sqlite:${own}`, `sqlite:${soft}?dataset=other`)
  for (let again = 0; again < 2; again++)
    await output('snapshot', url('own'), join(inRoot('own'), 'my.snapshot'), '--overwrite')
})

test('a key that is too long is told by its namespaces and its name, and that the copy can go on', async () => {
  const long = 'k'.repeat(1_500)
  const target = `sqlite:${join(root, 'short.db')}`
  await output('set', url('long'), long, 'secret', '--namespace', 'a')
  const { code, err } = await inProcess(['copy', url('long'), target])
  expect(code).toBe(1)
  expect(err).toMatch(
    new RegExp(`A key has 1503 bytes; the target allows \\d+\\..* The key is "a" / "k+"\\. Run .*--resume`),
  )
  expect(err).not.toContain('secret')
})

test('a snapshot and its way back, encrypted; mistakes and damages are one clear line, exit 2, and change nothing', async () => {
  await writeFile(join(root, 'key'), `${randomBytes(32).toString('base64')}\n`)
  const wrote = await output('snapshot', 'users', 'users.snapshot', '--key-file', 'key')
  expect(wrote).toMatch(/^Wrote 4 records \(\d+ B\) into \d+ B\.\nChecksum: [0-9a-f]{64}\n$/)
  expect(await output('restore', 'users.snapshot', url('back'), '--key-file', 'key')).toMatch(
    /^Restored 4 records \(61 B\) in [\d.]+ m?s\.\nVerified: all 4 are equal\.\n$/,
  )
  process.env['UNIKV_TEST_KEY'] = randomBytes(32).toString('hex')
  await output('snapshot', 'users', 'by-env.snapshot', '--key-env', 'UNIKV_TEST_KEY')
  await output('restore', 'by-env.snapshot', url('by-env'), '--key-env', 'UNIKV_TEST_KEY')
  await output('snapshot', 'users', 'plain', '--json')
  const whole = await readFile(join(root, 'plain'))
  await writeFile(join(root, 'cut'), whole.subarray(0, 300))
  await writeFile(join(root, 'passphrase'), 'correct horse battery staple')
  const cases: readonly (readonly [args: readonly string[], err: RegExp])[] = [
    [['snapshot', 'users', 'plain'], /^unikv: plain is there already\. Use --overwrite, or/],
    [
      ['snapshot', 'users', 'new', '--key-file', 'passphrase'],
      /^unikv: The key 'snapshot' must be exactly 32 random bytes/,
    ],
    [
      ['snapshot', 'users', 'new', '--key-file', 'none'],
      /^unikv: The file none cannot be read \(ENOENT\)\.\n$/,
    ],
    [
      ['snapshot', 'users', 'new', '--key-env', 'UNIKV_NO_KEY'],
      /^unikv: The environment variable UNIKV_NO_KEY is not set\.\n$/,
    ],
    [
      ['snapshot', 'users', 'new', '--key-env', 'UNIKV_TEST_KEY', '--key-file', 'key'],
      /^unikv: Choose --key-file or --key-env, not both\.\n$/,
    ],
    [['snapshot', url('typo'), 'new'], /^unikv: There is no store: .*typo does not exist\.\n$/],
    [['snapshot', 'users', '-'], /^unikv: There is no standard output: name a file\.\n$/],
    [
      ['restore', 'cut', url('never')],
      /^unikv: The snapshot cannot be restored\. It is damaged: .* Nothing was written\.\n$/,
    ],
    [
      ['restore', 'key', url('never')],
      /^unikv: The snapshot cannot be restored\. It is not a snapshot\. Nothing was written\.\n$/,
    ],
    [['restore', 'users.snapshot', url('never')], /^unikv: The snapshot is encrypted\./],
    [
      ['restore', 'plain', url('never'), '--key-file', 'key'],
      /^unikv: The snapshot cannot be restored\. It is not encrypted/,
    ],
    [
      ['restore', 'plain', 'texts'],
      /^unikv: texts: The source stores values by json, and the target by text,/,
    ],
    [['restore', 'plain', 'users'], /^unikv: users: The target has records already\./],
  ]
  for (const [args, err] of cases) {
    const outcome = await inProcess(args)
    expect(outcome.err).toMatch(err)
    expect([args, outcome.code, outcome.out]).toEqual([args, 2, ''])
  }
  expect(existsSync(join(root, 'never'))).toBe(false)
  expect(existsSync(join(root, 'new'))).toBe(false)
})

test('Ctrl-C ends a copy between two pages, and says how to go on', async () => {
  const large = url('large')
  const kv = keyValue(open(large) as unknown as MemoryStore)
  await kv.setMany(Array.from({ length: 3_000 }, (_, i) => [`key ${i}`, Buffer.alloc(1_000, i)] as const))
  await kv.close()
  let interrupt = () => {}
  let err = ''
  const code = await run({
    arguments: ['copy', large, url('half')],
    out: () => {},
    error: (text) => {
      err += text
      if (text.includes('copying')) interrupt()
    },
    columns: 80,
    onInterrupt: (interrupted) => void (interrupt = interrupted),
  })
  expect(code).toBe(130)
  expect(err).toMatch(
    /unikv: Stopped\. \d+ records are there: it can be resumed\. Run the same command with --resume/,
  )
  expect(await inProcess(['copy', large, url('half')])).toMatchObject({ code: 2 })
  expect(await output('copy', large, url('half'), '--resume')).toMatch(
    /^Copied 3,000 records \(.*\) in [\d.]+ m?s, those before the stop included\.\nVerified: all 3,000 are equal\.\n$/,
  )
})

test('a snapshot through a pipe, and the progress of a terminal', async () => {
  const pipe = new PassThrough()
  let seen = ''
  const terminal = (args: readonly string[]) => ({
    arguments: args,
    out: () => {},
    error: (text: string) => void (seen += text),
    columns: 80,
    onInterrupt: () => {},
    stdout: pipe,
    stdin: pipe,
  })
  expect(await run(terminal(['snapshot', url('users'), '-']))).toBe(0)
  expect(seen).toMatch(/░ +0 % · copying|█ +100 % · copying 4 of 4/)
  expect(seen).toContain('Wrote 4 records')
  pipe.end()
  expect(await run(terminal(['restore', '-', url('piped')]))).toBe(0)
  expect(seen).toContain('100 % · comparing 4 of 4')
  expect(await output('count', url('piped'))).toBe('3\n')
  const typed = Object.assign(new PassThrough(), { isTTY: true })
  for (const args of [
    ['snapshot', url('users'), '-'],
    ['restore', '-', url('typed')],
  ])
    expect(await run({ ...terminal(args), stdout: typed, stdin: typed })).toBe(2)
  expect(seen).toMatch(/standard input is a terminal\. Name a file, or use a pipe\.\n$/)
})
