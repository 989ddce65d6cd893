import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { open } from '@unikv/stores'
import type { RunResult } from '@unikv/study-run'
import type { AnyResult } from '@unikv/workload'
import { describe, expect, test } from 'vitest'
import { KeptResults } from '../src/cli/bench/kept-results.ts'
import { commandsOfGuide, inProcess, root, unikv } from './command-line.ts'

const short = ['--records', '200', '--operations', '300', '--warmup', '0', '--runs', '2']
const bench = (...args: string[]) => inProcess(['bench', 'run', ...args, ...short])

describe('unikv bench run', () => {
  test('drives two stores, prints tables of at most 80 columns, and leaves nothing in them', async () => {
    const { code, out } = await unikv([
      'bench',
      'run',
      '--store',
      'file:./rf',
      '--store',
      'lmdb:./rl',
      '--preset',
      'b',
      ...short,
    ])
    expect(code).toBe(0)
    expect(out).toMatch(/^file +read +[\d,.]+ +[\d.]+ (ns|µs|ms|s)/m)
    expect(out).toMatch(/^lmdb +update +[\d,.]+/m)
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(existsSync(join(root, 'unikv-bench-run', 'report.html'))).toBe(true)
    const left = keyValue(open(`file:${root}/rf?dataset=unikv_bench`))
    for await (const key of left.keys()) throw new Error(`left behind: ${key}`)
    await left.close()
  })

  test('takes its own mix, keys, lengths and a rate, and states them in the result', async () => {
    const mix = ['--mix', 'read=8,scan=1,increment=1', '--keys', 'hotspot:0.1,0.9', '--value-size', '100..1K']
    const rate = ['--rate', '1000', '--arrivals', 'poisson']
    const { code, out } = await bench('--store', 'memory:', '--json', '--out', 'own', ...mix, ...rate)
    const { config, targets } = JSON.parse(out) as RunResult
    expect([0, 4]).toContain(code) // a busy machine may be late
    expect(config).toMatchObject({ rate: 1_000, arrivals: 'poisson', operations: 300 })
    expect(config.workload).toMatchObject({
      name: 'own',
      mix: { read: 8, scan: 1, increment: 1 },
      keys: { kind: 'hotspot', dataFraction: 0.1, operationFraction: 0.9 },
      values: { kind: 'uniform', least: 100, most: 1_000 },
    })
    expect(targets[0]!.operations.map(({ name }) => name)).toEqual(['read', 'scan', 'increment'])
    expect(targets[0]!.keyLaw).toBe('hotspot (90 % of operations on 10 % of keys)')
  })

  test('drives from two threads, and says so in text and result', async () => {
    const store = ['--store', 'lmdb:./threads', '--threads', '2', '--quiet', '--out', 'two']
    const { code, out } = await unikv(['bench', 'run', ...store, ...short])
    expect([code, out.includes('callers: 16 callers, each waits for its answer, in 2 threads')]).toEqual([
      0,
      true,
    ])
    const { config, targets } = JSON.parse(
      await readFile(join(root, 'two', 'result.json'), 'utf8'),
    ) as RunResult
    expect(config.threads).toBe(2)
    expect(targets[0]!.runs.map(({ operations }) => operations)).toEqual([300, 300])
  })

  test('exits with 3 if a threshold was crossed, and says which', async () => {
    const { code, out, err } = await bench('--store', 'memory:', '--out', 't', '--fail-if', 'read.mean > 1ns')
    expect([code, out.includes('✗'), err.includes('unikv: Crossed: memory: read.mean > 1ns')]).toEqual([
      3,
      true,
      true,
    ])
  })

  test('takes property files of YCSB, and prints what YCSB prints', async () => {
    const file = 'workloadx'
    const lines = ['recordcount=100', 'operationcount=50', 'threadcount=3', 'insertorder=ordered', 'label=x']
    await writeFile(join(root, file), lines.join('\n'))
    const options = ['--store', 'memory:', '--quiet', '--runs', '1', '--warmup', '0', '--out', 'y']
    const { code, out, err } = await inProcess([
      'bench',
      'run',
      '-P',
      file,
      '-p',
      'readproportion=0.5',
      '-p',
      'udpateproportion=1',
      '--format',
      'ycsb',
      ...options,
    ])
    expect([code, err.trim().split('\n')]).toEqual([
      0,
      [
        'unikv: Properties that change nothing here: label (without meaning for unikv), udpateproportion (unknown: did you mean updateproportion?).',
        'unikv: As in YCSB, updateproportion is 0.05 unless the properties set it.',
        'Report: y/report.html',
      ].slice(0, 2),
    ])
    expect(out).toMatch(
      /^\[OVERALL\], RunTime\(ms\), \d+\n\[OVERALL\], Throughput\(ops\/sec\), [\d.]+\n\[READ\], Operations, 4\d/,
    )
    expect(out).toContain('[UPDATE], Return=OK, ')
  })

  test.each([
    [['-P', 'missing'], 'The property file missing cannot be read (ENOENT).'],
    [['--preset', 'a', '-P', 'x'], 'Choose --preset or --property-file, not both.'],
    [['-p', 'recordcount'], "-p 'recordcount' must be name=value."],
    [['-p', 'readproportion=-1'], 'The property readproportion (-p) must be a number of 0 or more'],
    [['--format', 'xml'], "--format: 'xml' is unknown; known are text, json, markdown, ycsb."],
    [['--format', 'json', '--json'], 'Choose --format, --json or --markdown, not both.'],
    [
      ['--rate', '10', '--concurrency', '4'],
      '--concurrency says nothing beside --rate: use --max-in-flight.',
    ],
    [['--arrivals', 'poisson'], '--arrivals needs --rate.'],
    [['--when-full', 'queue'], '--when-full needs --rate.'],
    [['--threads', '4', '--concurrency', '2'], '4 threads need at least 4 callers, one for each; got 2.'],
    [['--batch', '5'], '--batch needs a mix with batch-read, batch-write or batch-insert.'],
    [['--preset', 'c', '--scan-length', '5'], '--scan-length needs a mix with scan.'],
    [['--mix', 'read=80,udpate=20'], "Mix: there is no operation 'udpate'"],
    [['--mix', 'read'], "Mix: 'read' is not an operation with a weight. Write it like read=80,update=20."],
    [['--mix', 'read=1,read=2'], 'Mix: read has two weights. Name it once.'],
    [['--mix', 'read=0'], 'no operation has a weight above 0'],
    [['--preset', 'g'], "'g' is not one of a, b, c, d, e, f."],
    [['--duration', 'soon'], "'soon' is not a time. Write it like 500ms, 30s, 5m or 1h."],
    [['--duration', '0'], "A run of '0' would measure nothing. Write a time above 0."],
    [['--rate', '0'], '--rate: a rate must be above 0.'],
    [['--rate', '100..1000'], "--rate: '100..1000' needs a time. Write it like 100..1000/30s"],
    [['--rate', '10/s'], "'s' is not a time"],
    [['--fail-if', 'read.p99 > 10'], "'read.p99 > 10' cannot be used: a time needs a unit: us, ms or s."],
    [['--fail-if', 'red.p99 > 1ms'], 'the workload does not have; it has read, update.'],
    [['--fail-if', 'scan.p99 > 1ms'], 'is about an operation that the workload does not have'],
    [['--fail-if', 'p99'], 'write it like read.p99 > 10ms'],
    [['--value-size', '2T'], '2T'],
    [['--keys', 'zipfan'], 'zipfian'],
    [['--concurency', '3'], 'Did you mean --concurrency?'],
  ])('refuses %j with exit code 2 and one sentence, and writes nothing', async (args, message) => {
    const { code, err } = await bench('--store', 'memory:', '--out', 'wrong', ...args)
    expect([code, err.includes(message)], err).toEqual([2, true])
    expect(existsSync(join(root, 'wrong'))).toBe(false)
  })

  test('refuses threads for a store that lives in one of them, before anything is measured', async () => {
    const { code, err } = await unikv(['bench', 'run', '--store', 'memory:', '--threads', '2', ...short])
    expect([code, err.split('\n').at(-2)]).toEqual([
      2,
      'unikv: memory keeps its records in the thread that opened it, so several threads cannot drive it. Use one thread, or a store that threads can share.',
    ])
  })

  test('refuses an operation that a store cannot do, before anything runs', async () => {
    const { code, err } = await bench('--store', 'file:./u', '--preset', 'e')
    expect([code, err.trim()]).toEqual([
      2,
      'unikv: file cannot do the operation scan: it does not list keys in order.',
    ])
  })
})

test('unikv bench report makes a page again, and refuses a folder without a result', async () => {
  await bench('--store', 'memory:', '--quiet', '--out', 'again')
  const page = join(root, 'again', 'report.html')
  const before = await readFile(page, 'utf8')
  await writeFile(page, 'old')
  const { code, out } = await inProcess(['bench', 'report', 'again'])
  expect([code, out, await readFile(page, 'utf8')]).toEqual([0, 'Report: again/report.html\n', before])
  // A command with many stores moves the other fields down.
  const result = join(root, 'again', 'result.json')
  const { command, ...others } = JSON.parse(await readFile(result, 'utf8'))
  await writeFile(result, JSON.stringify({ command: `${command} ${'x'.repeat(2_000)}`, ...others }))
  expect(await inProcess(['bench', 'report', 'again'])).toMatchObject({ code: 0, err: '' })
  const wrong = await inProcess(['bench', 'report', 'nowhere'])
  expect([wrong.code, wrong.err.split(' (')[0]]).toEqual([
    2,
    'unikv: nowhere holds no result of unikv bench load, run, sweep, replay, sizes, deltas, overhead, consistency, evaluate, session',
  ])
})

test('unikv bench report makes one page of several results, and leaves them alone', async () => {
  for (const [out, seed] of [
    ['j1', '42'],
    ['j2', '42'],
    ['j3', '7'],
  ] as const)
    await bench('--store', 'memory:', '--quiet', '--out', out, '--seed', seed)
  const { code, out, err } = await inProcess(['bench', 'report', 'j1', 'j2', 'j3', '--out', 'joined'])
  expect([code, out], err).toEqual([0, 'Report: joined/report.html\n'])
  const page = await readFile(join(root, 'joined', 'report.html'), 'utf8')
  for (const text of ['memory j1 · read', 'memory j2 · read', 'memory j3 · update', 'of 3 results of'])
    expect(page).toContain(text)
  expect(page).toContain('Not measured alike: seed (42 and 7).')
  expect(existsSync(join(root, 'joined', 'result.json'))).toBe(false)
  const phases = '[{"name":"x"},{"name":"y"}]'
  await bench('--store', 'memory:', '--quiet', '--out', 'j4', '--phases', phases)
  const mixed = await inProcess(['bench', 'report', 'j1', 'j4', '--out', 'mixed'])
  expect(mixed.code, mixed.err).toBe(0)
  expect(await readFile(join(root, 'mixed', 'report.html'), 'utf8')).toContain(
    'Not compared: j1 and j4 have no phase of the same name.',
  )
  const refused = async (...places: string[]) => {
    const wrong = await inProcess(['bench', 'report', ...places])
    return `${wrong.code} ${wrong.err}`
  }
  expect(await refused('j1', 'j2', '--out', 'j3')).toBe(
    '2 unikv: j3 holds a result. Name another folder for the page of several.\n',
  )
  expect(await refused('j1', 'j2', 'j1', '--out', 'j5')).toBe(
    '2 unikv: j1 is given twice. Name each result once.\n',
  )
})

describe('unikv bench run --results', () => {
  test('keeps results in a store, where compare and report find them by name, or the newest', async () => {
    const place = `file:${root}/kept`
    const kept = async (name: string, out: string) => {
      const { code, out: text } = await bench('--store', 'memory:', '--out', out, '--results', place + name)
      expect(code).toBe(0)
      return /^Kept: (.*)$/m.exec(text)?.[1]
    }
    expect(await kept('#base', 'k1')).toBe(`${place}#base`)
    const { code } = await inProcess(['bench', 'compare', `${place}#base`, 'k1'])
    expect(code).toBe(0)
    const second = (await kept('', 'k2')) as string
    const newest = await inProcess(['bench', 'report', place, '--out', 'again'])
    expect([newest.code, newest.out]).toEqual([0, `Report: again/report.html\n`])
    const [again, own] = await Promise.all(
      ['again', 'k2'].map(
        async (folder) => JSON.parse(await readFile(join(root, folder, 'result.json'), 'utf8')) as RunResult,
      ),
    )
    expect(again).toEqual(own)
    expect(second).toBe(`${place}#${own?.runId}`)
  })

  test('gives the name of a baseline only to a run that can be compared', async () => {
    const kept = await KeptResults.openToKeep(`file:${root}/kept3#a?b`)
    const result = { runId: 'r1', status: 'complete' } as AnyResult
    expect(await kept.keep(result)).toBe(`file:${root}/kept3#a?b`)
    expect(await kept.keep({ ...result, status: 'interrupted' })).toBe(`file:${root}/kept3#r1`)
    expect(JSON.parse(await kept.text())).toEqual(result)
    await kept.close()
  })

  test('finds before the run that a store takes nothing, and tells of damaged and newer results', async () => {
    const nowhere = ['--results', 'file:/proc/nowhere', '--out', 'never']
    expect(await bench('--store', 'memory:', ...nowhere)).toMatchObject({ code: 1, out: '' })
    const all = keyValue(open(`file:${root}/kept4?dataset=unikv_results`)).namespace('unikv.results')
    await all.set('result torn', Buffer.from('torn'))
    await all.close()
    expect((await inProcess(['bench', 'compare', 'file:./kept4#torn', 'k1'])).err).toContain(
      "'torn' of file:./kept4 is damaged",
    )
    await mkdir(join(root, 'newer'))
    const newer = { format: 'unikv.bench-run', formatVersion: 99 }
    await writeFile(join(root, 'newer', 'result.json'), JSON.stringify(newer))
    expect((await inProcess(['bench', 'compare', 'newer', 'k1'])).err).toContain(
      'has version 99 of its format',
    )
  })

  test.each([
    [
      ['run', '--store', 'memory:', '--results', './folder'],
      /--results '.\/folder' is not the URL of a store/,
    ],
    [['run', '--store', 'memory:', '--results', 'memory:'], /would be gone with this process/],
    [['report', 'file:./kept2#no', '--out', 'x'], /holds no result with the name 'no'/],
    [['report', 'file:./kept2', '--out', 'x'], /file:.\/kept2 holds no result/],
    [['report', 'file:./kept2'], /bench report URL --out DIR/],
    [['report', 'k1', '--out', 'x'], /the page of one folder is made where it lies/],
  ])('refuses %j before it measures or writes anything', async (args, message) => {
    const { code, err } = await inProcess(['bench', ...args])
    expect([code, message.test(err)]).toEqual([2, true])
    expect(existsSync(join(root, 'x'))).toBe(false)
  })
})

describe('unikv bench run --config', () => {
  test('takes its options from a YAML file, and those of the command line win', async () => {
    const lines = [
      'store: {first: "memory:", second: "memory:?a=1"}',
      'mix: {read: 3, update: 1}',
      'records: 50',
      'valueSize: 10..20',
      'fail-if: [read.mean > 100s, "${UNIKV_TEST_METRIC} > 100"]',
      'warmup: 0',
      'quiet: true',
    ]
    await writeFile(join(root, 'bench.yaml'), lines.join('\n').replace('memory:?a=1', 'file:./second'))
    process.env['UNIKV_TEST_METRIC'] = 'errors'
    const args = [
      'bench',
      'run',
      '--config',
      'bench.yaml',
      '--records',
      '70',
      '--operations=40',
      '--runs',
      '1',
    ]
    const { code, out, err } = await inProcess([...args, '--json', '--out', 'configured'])
    expect([code, err]).toEqual([0, expect.not.stringContaining('error')])
    const { config, stores, command } = JSON.parse(out) as RunResult
    expect(stores.map(({ name }) => name)).toEqual(['first', 'second'])
    expect(config).toMatchObject({
      operations: 40,
      warmupMs: 0,
      failIf: [{ unit: 'ms' }, { metric: 'errors' }],
    })
    expect(config.workload).toMatchObject({ records: 70, mix: { read: 3, update: 1 }, values: { most: 20 } })
    expect(command).toContain('bench run --config bench.yaml')
  })

  test.each([
    ['recrods: 5', /unknown option '--recrods=5'[^]*Did you mean --records/],
    ['records: many', /--records <n>' argument 'many' is invalid/],
    ['- a list', /must hold options by name/],
    ['a: [', /is not YAML or JSON/],
    ['store: memory:\npreset: b', /at line 1, column 8\. Write it in quotes: "memory:"\.$/m],
    ['concurrency: true', /option '--concurrency <n>' argument missing/],
    [
      'store: "redis://:${UNIKV_TEST_NOT_SET}@h"',
      /environment variable UNIKV_TEST_NOT_SET, which is not set/,
    ],
    ['mix: {read: {a: 1}}', /mix in wrong.yaml must be a text, a number/],
    ['config: other.yaml', /wrong\.yaml names another configuration file/],
  ])('names what is wrong in the file: %s', async (text, message) => {
    await writeFile(join(root, 'wrong.yaml'), text)
    const { code, err } = await inProcess(['bench', 'run', '--config=wrong.yaml', '--out', 'no-such-result'])
    expect([code, message.test(err) ? 'told' : err]).toEqual([2, 'told'])
    expect(existsSync(join(root, 'no-such-result'))).toBe(false)
  })

  test('lets properties of the command line win, wherever --config stands', async () => {
    await writeFile(join(root, 'p.yaml'), 'property: [recordcount=11, operationcount=12]\nquiet: true\n')
    const few = ['--runs', '1', '--warmup', '0', '--store', 'memory:', '--json']
    const orders = [
      ['-p', 'recordcount=13', '--config', 'p.yaml'],
      ['--config', 'p.yaml', '-p', 'recordcount=13'],
    ]
    for (const order of orders) {
      const { out } = await inProcess(['bench', 'run', ...order, ...few, '--out', 'properties'])
      const { config } = JSON.parse(out) as RunResult
      expect([config.workload.records, config.operations]).toEqual([13, 12])
    }
  })

  test('refuses a file that is not there, and two files', async () => {
    const told = async (...args: string[]) => (await inProcess(['bench', 'run', ...args])).err
    expect(await told('--config', 'nowhere.yaml')).toContain('nowhere.yaml cannot be read (ENOENT)')
    expect(await told('--config', 'bench.yaml', '--config=bench.yaml')).toContain('--config was given twice')
  })
})

describe('unikv bench compare', () => {
  test('compares result folders, and tells which is none', async () => {
    for (const out of ['c1', 'c2'])
      expect((await bench('--store', 'memory:', '--quiet', '--out', out)).code).toBe(0)
    const compare = (...args: string[]) => inProcess(['bench', 'compare', ...args])
    const { code, out } = await compare('c1', 'c2/')
    expect([code, out.split('\n')[0]]).toEqual([0, 'c1 and c2: means of runs'])
    expect(out).toMatch(/^all +ops\/s +[\d,.]+ +[\d,.]+ +[\d.]+ +– +too few runs$/m)
    expect(JSON.parse((await compare('c1', 'c2/result.json', '--json')).out)).toMatchObject([
      { differences: [] },
    ])
    const untold = await compare('c1', 'c2', '--fail-on-regression')
    expect([untold.code, untold.err.split(':')[1]]).toEqual([
      4,
      ' The results cannot tell whether something became slower',
    ])
    const wrong = await Promise.all([compare('c1'), compare('c1', 'missing')])
    expect(wrong.map((one) => [one.code, one.err.split(' (')[0]])).toEqual([
      [2, 'unikv: A comparison needs two results or more.\n'],
      [2, 'unikv: missing holds no result of unikv bench run'],
    ])
  })
})

/** What makes a command of the guide short, or let it compare what a busy machine measured. */
function optionsOf([, name, ...args]: readonly string[]): readonly string[] {
  if (name === 'compare') return ['--force']
  if (name === 'load') return []
  if (args.includes('--config')) return []
  return args.includes('--table') ? short.slice(2) : short
}

test('the commands of the guide work in their order', async () => {
  // Workers need a queue: workers-command.test.ts
  const commands = (await commandsOfGuide('bench-run')).filter((command) => !command.includes('--queue'))
  expect(commands.map(([, name]) => name).join(' ')).toBe('run run run run run compare load run load run')
  const guide = await readFile(new URL('../../../docs/guides/bench-run.md', import.meta.url), 'utf8')
  await writeFile(join(root, 'shop.mjs'), /^```js\n([^]*?)^```$/m.exec(guide)?.[1] as string)
  const day = [...guide.matchAll(/^```yaml\n([^]*?)^```$/gm)].find(([, text]) => text?.includes('phases:'))
  await writeFile(join(root, 'day.yaml'), day?.[1] as string)
  for (const command of commands) {
    const args = command.map((one) => (one === 'redis://127.0.0.1' ? 'memory:' : one))
    const { code, err } = await inProcess([...args, ...optionsOf(args)])
    // The figures are those of a busy machine.
    expect([0, 3, 4], err).toContain(code)
    if (args[1] === 'run')
      await cp(join(root, 'unikv-bench-run'), join(root, 'baseline'), { recursive: true })
  }
})
