import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { open } from '@unikv/stores'
import { someOf } from '@unikv/test-kit/vitest'
import { beforeAll, describe, expect, test } from 'vitest'
import { inProcess, main, quick, root, typed, unikv } from './command-line.ts'

test.each([
  ['as a command', ['URL']],
  ['as a number', ['bench', 'sizes', '--store', 'memory:', '--runs', 'URL']],
  ['as data', ['bench', 'sizes', '--store', 'memory:', '--data', 'URL']],
  ['as a size', ['bench', 'sizes', '--store', 'memory:', '--sizes', 'URL']],
  ['as the name of a store', ['stores', 'show', 'URL']],
])('a URL given %s is refused without its password', async (_place, args) => {
  const url = 'redis://u:s3cr@t@127.0.0.1/0'
  const { code, out, err } = await inProcess(args.map((one) => one.replace('URL', url)))
  expect(code).not.toBe(0)
  expect(out + err).not.toMatch(/s3cr|u:|@t/)
  expect(err).toContain('127.0.0.1')
})

describe('wrong use exits with 2 and says why in one sentence', () => {
  const wrong: readonly [args: string, says: string][] = [
    ['--store nosuch://h', "No store has the scheme 'nosuch:'"],
    ['--store plain', "'plain' is not a store URL"],
    ['--store file:./w?x=1', "A file URL takes no parameter 'x'"],
    ['', "required option '--store <[name=]url>' not specified"],
    ['--store file:./w --sizes 1M..1K', 'the range 1M..1K is empty'],
    ['--store file:./w --sizes 1..1G:1.001', 'more than 100 sizes'],
    ['--store file:./w --sizes 5G', 'outside 1 byte to 1Gi'],
    ['--store memory: --sizes 1Gi', 'too large for memory'],
    ['--store file:./w --hit-rates 50,120', "'120' is not from 0 to 100 per cent"],
    ['--store file:./w --runs 0', 'It must be a whole number from 1 to 1000.'],
    ['--store file:./w --runs x', 'It must be a whole number from 1 to 1000.'],
    ['--store file:./w --compressibility 2', 'It must be a number from 0 to 1.'],
    ['--store file:./w --data ./nowhere', 'The data in ./nowhere cannot be read (ENOENT).'],
    ['--store file:./w --data small --sizes 1M', 'too few for objects of 1000000 bytes'],
    ['--store file:./w --data none.mjs', 'The data module none.mjs cannot be loaded'],
    ['--store file:./w --sizes files', 'Whole files as sizes need files as data'],
    ['--store file:./w --compression lzo', "'lzo' is unknown"],
    ['--store file:./w --encryption des', "'des' is unknown"],
    ['--store file:./w --store file:./v', "Two of the stores have the name 'file'"],
    ['--store a/b=file:./w', 'not a store URL'],
    ['--store file:./w --out small', 'is not empty and holds more than an earlier result'],
    ['--store file:./full', 'holds records already'],
    ['--store file:./w --no-such-option', "unknown option '--no-such-option'"],
    ['--store file:./w extra', 'too many arguments'],
    ['--stroe file:./w', "unknown option '--stroe'\n(Did you mean --store?)"],
    ['--store file:./w --json --markdown', 'Choose --json or --markdown, not both.'],
    ['--store file:./w --out /proc/x', '/proc/x cannot be used for the results (ENOENT).'],
    ['--store file:./w --out=', 'The name of the folder for the results must not be empty'],
    ['--store file:./w --out /dev/null/x', '/dev/null/x cannot be used for the results (ENOTDIR).'],
    ['--store file:./w --out dangling', 'dangling cannot be used for the results'],
    ['--store file:./w --sizes 100 --sizes=1K', "option '--sizes <sizes>' was given twice"],
    ['--store file:./w --data /dev/null', '/dev/null is neither a file nor a directory'],
    ['--store file:./w --sizes 1,1K --data small', 'too few for objects of 1000 bytes'],
  ]

  beforeAll(async () => {
    await mkdir(join(root, 'small'))
    await symlink(join(root, 'nowhere/at/all'), join(root, 'dangling'))
    await writeFile(join(root, 'small', 'a.txt'), 'abc')
    const full = keyValue(open(`file:${root}/full?dataset=unikv_bench`))
    await full.set('mine', Buffer.from('kept'))
    await full.close()
  })

  test.each(wrong)('%s', async (args, says) => {
    const { code, out, err } = await inProcess(['bench', 'sizes', ...typed(args)])
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(says)
    const lines = err
      .trim()
      .split('\n')
      .filter((line) => !/^[{(]/.test(line))
    expect(lines.length).toBe(1)
    expect(err).not.toMatch(/\n\s+at /)
    expect(existsSync(join(root, 'unikv-bench'))).toBe(false)
  })

  test.each([['bench'], ['nonsense'], []])('unikv %s', async (...args) => {
    const { code, err } = await inProcess(args)
    expect([code, err.length > 0]).toEqual([2, true])
  })

  test('a stack trace is shown only if asked for', async () => {
    const { code, err } = await inProcess(['bench', 'sizes', '--store', 'nosuch://h', '--debug'])
    expect(code).toBe(2)
    expect(err).toMatch(/\n\s+at /)
  })
})

describe('a data module', () => {
  const measured = [...typed('bench sizes --store memory: --quiet --parallel 1'), ...quick.slice(0, 6)]

  test('that leaves timers open does not keep the command from ending', async () => {
    await writeFile(
      join(root, 'timer.mjs'),
      'setInterval(() => {}, 1_000); export default ({ size }) => "x".repeat(size)',
    )
    const args = [...measured, '--data', 'timer.mjs', '--out', 'of-timer']
    const { code, out, err } = await unikv(args)
    expect([code, err, out.includes('Report: ')]).toEqual([0, '', true])
  })

  test('that never answers is told of', async () => {
    await writeFile(join(root, 'never.mjs'), 'export default () => new Promise(() => {})')
    const { code, err } = await unikv([...measured, '--data', 'never.mjs', '--out', 'of-never'])
    expect([code, err]).toEqual([
      1,
      'unikv: The command is waiting for a promise that never settles, such as one of a data module.\n',
    ])
  })
})

test('names with line breaks stay on one line', async () => {
  await mkdir(join(root, 'a\nb'))
  await writeFile(join(root, 'a\nb', 'a.txt'), 'abc'.repeat(1_000))
  const args = ['--store', 'lmdb:./d\ne', '--data', 'a\nb', '--out', 'o\np', ...quick]
  for (const format of [[], ['--markdown']]) {
    const { code, out } = await inProcess(['bench', 'sizes', ...args, ...format])
    expect(code).toBe(0)
    expect(out).toMatch(/1 file of "a\\nb" \(3 KB\)/)
    expect(out).toContain('lmdb:./d%0Ae')
    expect(out).not.toMatch(/^[bep][";' ]/m)
  }
})

test('unikv --version and --help exit with 0', async () => {
  const version = await inProcess(['--version'])
  expect([version.code, version.out.trim()]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+$/)])
  const help = await inProcess(['bench', 'sizes', '--help'])
  expect([help.code, help.out.includes('--measure-hit-rates')]).toEqual([0, true])
})

test('help on a command that is not there is one sentence, and exits with 2', async () => {
  for (const above of [[], ['bench'], ['config'], ['stores']])
    expect(await inProcess([...above, 'help', 'nosuch'])).toEqual({
      code: 2,
      out: '',
      err: "error: unknown command 'nosuch'. Commands are listed by --help.\n",
    })
  for (const known of [['help'], ['help', 'get'], ['bench', 'help'], ['bench', 'help', 'run']])
    expect(await inProcess(known)).toMatchObject({ code: 0, out: expect.stringContaining('Usage:'), err: '' })
})

test.each(someOf(1, ['stores --json', 'stores', 'bench sizes --help']))(
  'unikv %s is silent if nobody reads on',
  async (args) => {
    const child = spawn(process.execPath, [main, ...args.split(' ')], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let err = ''
    child.stderr.on('data', (text: Buffer) => (err += text.toString()))
    expect([await new Promise((resolve) => child.on('close', resolve)), err]).toEqual([0, ''])
  },
)

test.skipIf(!existsSync('/dev/full'))('output that cannot be written is told, and exits with 1', async () => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [main, 'stores'], { stdio: ['ignore', full, 'pipe'] })
  let err = ''
  child.stderr!.on('data', (text: Buffer) => (err += text.toString()))
  const code = await new Promise((resolve) => child.on('close', resolve))
  closeSync(full)
  expect([code, err]).toEqual([1, 'unikv: The output could not be written (ENOSPC).\n'])
})
