import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keyValue } from '@unikv/core'
import { open } from '@unikv/stores'
import type { DeltasResult } from '@unikv/study-deltas'
import { sizes } from '@unikv/study-sizes'
import { parseResult } from '@unikv/workload/report'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../src/cli/program.ts'

const main = fileURLToPath(new URL('../bin/unikv.js', import.meta.url))

interface Outcome {
  /** Its exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

let root: string
beforeAll(async () => {
  const built = fileURLToPath(new URL('../dist/main.js', import.meta.url))
  if (!existsSync(built)) throw new Error(`${built} is not there: build first (npm run build)`)
  root = await mkdtemp(join(tmpdir(), 'unikv-main-'))
})
afterAll(() => rm(root, { recursive: true }))

/** Run the command line in `root`. `watch` sees what it writes to stderr, and may signal it. */
function unikv(
  args: readonly string[],
  watch?: (err: string, signal: (name: NodeJS.Signals) => void) => void,
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (text: Buffer) => (out += text.toString()))
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString()
    watch?.(err, (name) => child.kill(name))
  })
  return new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ code: code ?? signal, out, err })),
  )
}

/** The same in this process: where nothing depends on there being another one. */
async function inProcess(args: readonly string[]): Promise<Outcome> {
  const before = process.cwd()
  process.chdir(root)
  let [out, err] = ['', '']
  const write = {
    out: (text: string) => void (out += text),
    error: (text: string) => void (err += text),
  }
  try {
    const code = await run({ arguments: args, ...write, columns: undefined, onInterrupt: () => {} })
    return { code, out, err }
  } finally {
    process.chdir(before)
  }
}

const quick = ['--sizes', '100,1K', '--runs', '2', '--operations', '5', '--parallel', '4']

describe('unikv bench sizes', () => {
  test('measures a store and writes the whole result folder', async () => {
    const args = [
      '--store',
      'file:./d',
      '--cache',
      'memory',
      '--compression',
      'gzip',
      '--encryption',
      'aes-128-gcm',
      '--out',
      'r',
    ]
    const { code, out, err } = await unikv(['bench', 'sizes', ...args, ...quick])
    expect([code, err.split('\n').filter((line) => line !== '' && !line.startsWith('{'))]).toEqual([0, []])
    expect(out).toContain('read, one call at a time\nsize ')
    expect(out).toContain('repeat: npx unikv bench sizes --store file:./d --cache memory --compression gzip')
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(out.trimEnd().split('\n').at(-1)).toBe(`Report: ${join('r', 'report.html')}`)
    const files = await readdir(join(root, 'r'))
    for (const name of [
      'result.json',
      'report.html',
      'plots.gp',
      'read-latency.dat',
      'write-latency-parallel.csv',
      'cache-file-memory.dat',
      'cache-file-memory-full.dat',
      'cache-file-memory-freeze.dat',
      'encryption-aes-128-gcm.dat',
      'compression-gzip.dat',
    ]) {
      expect(files).toContain(name)
    }
    const result = parseResult(sizes, await readFile(join(root, 'r', 'result.json'), 'utf8'))
    expect(result).toMatchObject({
      status: 'complete',
      config: { seed: 42, runs: 2 },
      stores: [{ name: 'file', url: 'file:./d' }],
    })
    expect(result.versions['unikv']).toMatch(/^\d/)
    const left = keyValue(open(`file:${root}/d?dataset=unikv_bench`))
    for await (const key of left.keys()) throw new Error(`left behind: ${key}`)
    await left.close()
  })

  test('takes the user’s own files, whole or cut', async () => {
    await mkdir(join(root, 'mine'))
    for (const size of [50, 300, 2_000]) await writeFile(join(root, 'mine', `${size}.txt`), 'x'.repeat(size))
    const cut = await inProcess([
      'bench',
      'sizes',
      '--store',
      'lmdb:./l',
      '--data',
      'mine',
      '--out',
      'cut',
      ...quick,
    ])
    expect(cut.code).toBe(0)
    const whole = await inProcess([
      'bench',
      'sizes',
      '--store',
      'lmdb:./l',
      '--data',
      'mine',
      '--sizes',
      'files',
      '--runs',
      '1',
      '--out',
      'whole',
    ])
    expect(whole.code).toBe(0)
    const table = await readFile(join(root, 'whole', 'read-latency.dat'), 'utf8')
    expect(
      table.split('\n').flatMap((line) => (/^\d/.test(line) ? [Number(line.split('\t')[0])] : [])),
    ).toEqual([50, 300, 2_000])
  })

  test('interrupted by Ctrl-C, keeps its finished points, removes its namespace and exits with 130', async () => {
    const args = [
      '--store',
      'file:./i',
      '--out',
      'i-out',
      '--sizes',
      '100,1K',
      '--runs',
      '200',
      '--operations',
      '5',
    ]
    let isSent = false
    const { code, out, err } = await unikv(['bench', 'sizes', ...args], (text, signal) => {
      if (isSent || !text.includes('"run":1,"point":1')) return
      isSent = true
      signal('SIGINT')
    })
    expect([code, err.includes('Interrupted: the results hold the measurements finished so far.')]).toEqual([
      130,
      true,
    ])
    expect(out).toContain('Report:')
    const result = parseResult(sizes, await readFile(join(root, 'i-out', 'result.json'), 'utf8'))
    expect(result.status).toBe('interrupted')
    expect(result.latency[0]?.points.length).toBe(2)
    const left = keyValue(open(`file:${root}/i?dataset=unikv_bench`))
    expect(await left.namespace('unikv.bench').count()).toBe(0)
    await left.close()
  })

  test('interrupted before anything was measured, writes nothing and exits with 130', async () => {
    let isSent = false
    const { code, err } = await unikv(
      ['bench', 'sizes', '--store', 'file:./j', '--out', 'j-out'],
      (text, signal) => {
        if (isSent || !text.includes('"started"')) return
        isSent = true
        signal('SIGTERM')
      },
    )
    expect([code, err.includes('no results were written')]).toEqual([130, true])
    expect(existsSync(join(root, 'j-out'))).toBe(false)
  })

  test('interrupted, tells of a store that could not be cleaned up', async () => {
    const folder = join(root, 'gone')
    let isSent = false
    const { code, err } = await unikv(
      ['bench', 'sizes', '--store', 'file:./gone', '--out', 'gone-out'],
      (text, signal) => {
        if (isSent || !text.includes('"started"')) return
        isSent = true
        // At once: it goes on writing.
        renameSync(folder, `${folder}-away`)
        writeFileSync(folder, 'no folder any more')
        signal('SIGINT')
      },
    )
    expect(code).toBeGreaterThan(0)
    expect(err).toContain('The data that this run wrote to file could not be removed')
  })

  test.each(['--json', '--markdown'])(
    'prints %s on request, and no progress if that is not wanted',
    async (format) => {
      const args = ['--store', 'memory:', '--out', `as${format}`, '--quiet', format]
      const { code, out, err } = await inProcess(['bench', 'sizes', ...args, ...quick])
      expect([code, err]).toEqual([0, ''])
      if (format === '--json') expect(parseResult(sizes, out).status).toBe('complete')
      else expect(out).toMatch(/^# unikv bench sizes: memory\n[^]*\| size \| store \| median \|/)
    },
  )

  test('keeps its results where the folder cannot be written in the end, and prints them first', async () => {
    const temporary = join(root, 'tmp')
    await mkdir(temporary)
    const args = ['--store', 'file:./dd', '--out', 'lost', ...quick]
    let isTaken = false
    const { code, out, err } = await unikv(
      ['bench', 'sizes', ...args],
      (text) => {
        if (isTaken || !text.includes('"cell"')) return
        isTaken = true
        writeFileSync(join(root, 'lost'), 'a file by now')
      },
      { TMPDIR: temporary },
    )
    expect([code, out.includes('read, one call at a time')]).toEqual([1, true])
    const [folder] = await readdir(temporary)
    expect(err).toContain(`could not be written to lost (ENOTDIR). They are in ${join(temporary, folder!)}.`)
    const kept = await readFile(join(temporary, folder!, 'result.json'), 'utf8')
    expect(parseResult(sizes, kept).status).toBe('complete')
  })

  test('goes on to its end if nobody reads what it says, and leaves nothing in the store', async () => {
    const child = spawn(
      process.execPath,
      [main, 'bench', 'sizes', '--store', 'file:./p', '--out', 'p-out', ...quick],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    child.stdout.destroy()
    child.stderr.once('data', () => child.stderr.destroy())
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
    const result = parseResult(sizes, await readFile(join(root, 'p-out', 'result.json'), 'utf8'))
    expect(result.status).toBe('complete')
    const left = keyValue(open(`file:${root}/p?dataset=unikv_bench`))
    expect(await left.namespace('unikv.bench').count()).toBe(0)
    await left.close()
  })

  test('killed, leaves a namespace that the next run removes', async () => {
    const args = ['bench', 'sizes', '--store', 'file:./k', '--out', 'k-out', ...quick]
    await unikv(args, (text, signal) => {
      if (text.includes('"cell"')) signal('SIGKILL')
    })
    expect(existsSync(join(root, 'k-out'))).toBe(false)
    const { code, err } = await unikv(args)
    expect([code, err.includes('"type":"leftovers-removed","target":"file"')]).toEqual([0, true])
  })

  test('exits with 1 if a store cannot be reached, naming its address without the password', async () => {
    const server = createServer()
    const port = await new Promise<number>((resolve) =>
      server.listen(0, () => resolve((server.address() as { port: number }).port)),
    )
    await new Promise((resolve) => server.close(resolve))
    const { code, err } = await unikv([
      'bench',
      'sizes',
      '--store',
      `redis://u:s3cret@127.0.0.1:${port}`,
      ...quick,
    ])
    expect([code, err.trim().split('\n').length]).toEqual([1, 1])
    expect(err).toContain(`127.0.0.1:${port}`)
    expect(err).not.toContain('s3cret')
  })
})

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

describe('unikv bench deltas', () => {
  const few = ['--sizes', '2K', '--runs', '2', '--updates', '6', '--keys', '1']

  test('measures updates both ways and recommends, and leaves nothing in the store', async () => {
    const edits = ['--edits', 'scattered,random', '--shares', '1']
    const { code, out } = await unikv(['bench', 'deltas', '--store', 'file:./du', ...edits, ...few])
    expect([code, out.match(/^(file: \w+|· Recommendation for file)/gm)]).toEqual([
      0,
      ['file: bytes', 'file: p50', 'file: an', '· Recommendation for file'],
    ])
    expect(out).toMatch(/^random +100 % +2 KB .*do not use: no delta was sent/m)
    const left = keyValue(open(`file:${root}/du?dataset=unikv_bench`))
    for await (const key of left.keys()) throw new Error(`left behind: ${key}`)
    await left.close()
  })

  test('prints everything as JSON, of the user’s own whole files', async () => {
    await mkdir(join(root, 'own'))
    for (const size of [2_000, 3_000]) await writeFile(join(root, 'own', `${size}.txt`), 'y'.repeat(size))
    const args = ['--store', 'memory:', '--data', 'own', '--json', '--edits', 'append', '--known-reads', '80']
    const { code, out } = await inProcess(['bench', 'deltas', ...args, ...few.with(1, 'files')])
    const result = JSON.parse(out) as DeltasResult
    expect([code, result.format, result.status]).toEqual([0, 'unikv.bench-deltas', 'complete'])
    expect(result.config).toMatchObject({ sizes: 'files', shares: [0.01, 0.1], use: { knownReads: 0.8 } })
    expect(result.points.map(({ size, share }) => [size, share])).toEqual([
      [2_500, 0.01],
      [2_500, 0.1],
    ])
    for (const { recommendation } of result.points)
      expect(['use', 'do-not-use', 'no-clear-difference']).toContain(recommendation.verdict)
  })

  test('interrupted by Ctrl-C, prints what was finished and exits with 130', async () => {
    let isSent = false
    const args = ['--store', 'file:./di', '--edits', 'append,moves', ...few.with(3, '1000')]
    const { code, out, err } = await unikv(['bench', 'deltas', ...args], (text, signal) => {
      if (isSent || !text.includes('"run":1')) return
      isSent = true
      signal('SIGINT')
    })
    expect([code, err.includes('Interrupted: the results hold the measurements finished so far.')]).toEqual([
      130,
      true,
    ])
    expect(out).toContain('Recommendation for file')
    const left = keyValue(open(`file:${root}/di?dataset=unikv_bench`))
    expect(await left.namespace('unikv.bench').count()).toBe(0)
    await left.close()
  })

  test.each([
    [
      '--store memory: --edits swap',
      "--edits: 'swap' is unknown; known are append, scattered, moves, random.",
    ],
    [
      '--store memory: --shares -1',
      "Shares: '-1' is not a share of a value. Write a percentage above 0 and at most 100.",
    ],
    ['--store memory: --mbits 0', 'It must be a number from 0.001 to 1000000.'],
    ['--store memory: --sizes 40Mi', 'which grow to 80 MiB by append, are too large for memory with deltas'],
    ['--store memcached://127.0.0.1', 'memcached may evict records'],
    ['--store cassandra://127.0.0.1/k', 'cassandra has no conditional writes, which deltas need'],
    ['', "required option '--store <[name=]url>' not specified"],
  ])('wrong use exits with 2 and says why in one sentence: %s', async (args, says) => {
    const { code, out, err } = await inProcess([
      'bench',
      'deltas',
      ...args.split(' ').filter((arg) => arg !== ''),
    ])
    expect([code, out, err.trim().split('\n').length]).toEqual([2, '', 1])
    expect(err).toContain(says)
  })
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
    const { code, out, err } = await inProcess([
      'bench',
      'sizes',
      ...args.split(' ').filter((arg) => arg !== ''),
    ])
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
    const { code, err } = await unikv(args)
    expect([code, err.length > 0]).toEqual([2, true])
  })

  test('a stack trace is shown only if asked for', async () => {
    const { code, err } = await unikv(['bench', 'sizes', '--store', 'nosuch://h', '--debug'])
    expect(code).toBe(2)
    expect(err).toMatch(/\n\s+at /)
  })
})

describe('a data module', () => {
  const measured = [
    'bench',
    'sizes',
    '--store',
    'memory:',
    '--quiet',
    '--parallel',
    '1',
    ...quick.slice(0, 6),
  ]

  test('that leaves timers open does not keep the command from ending', async () => {
    await writeFile(
      join(root, 'timer.mjs'),
      'setInterval(() => {}, 1_000); export default ({ size }) => "x".repeat(size)',
    )
    const args = [...measured, '--data', 'timer.mjs', '--out', 'of-timer']
    const { code, out, err } = await unikv(args)
    expect([code, err, out.includes('Report: ')]).toEqual([0, '', true])
    expect((await unikv([...args, '--sizes=5G'])).code).toBe(2)
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
  const args = ['--store', 'file:./d\ne', '--data', 'a\nb', '--out', 'o\np', ...quick]
  for (const format of [[], ['--markdown']]) {
    const { code, out } = await inProcess(['bench', 'sizes', ...args, ...format])
    expect(code).toBe(0)
    expect(out).toMatch(/1 file of "a\\nb" \(3 KB\)/)
    expect(out).toContain('file:./d%0Ae')
    expect(out).not.toMatch(/^[bep][";' ]/m)
  }
})

test('unikv --version and --help exit with 0', async () => {
  const version = await unikv(['--version'])
  expect([version.code, version.out.trim()]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+$/)])
  const help = await unikv(['bench', 'sizes', '--help'])
  expect([help.code, help.out.includes('--measure-hit-rates')]).toEqual([0, true])
})

test.each(['stores --json', 'stores', 'bench sizes --help'])(
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
