import { existsSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { keyValue } from '@unikv/core'
import { open } from '@unikv/stores'
import { describe, expect, test } from 'vitest'
import { benchRun, commandsOfGuide, inProcess, root, shortRun, typed } from './command-line.ts'

describe('unikv bench run', () => {
  test('drives two stores, prints tables of at most 80 columns, and leaves nothing in them', async () => {
    const { code, out } = await inProcess([
      ...typed('bench run --store file:./rf --store lmdb:./rl --preset b'),
      ...shortRun,
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
    const { code, out } = await benchRun('--store', 'memory:', '--json', '--out', 'own', ...mix, ...rate)
    const { config, targets } = JSON.parse(out) as ResultOf<'run'>
    expect([0, 4]).toContain(code) // a busy machine may be late
    expect(config).toMatchObject({ rate: 1_000, arrivals: 'poisson', operations: 60 })
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
    const { code, out } = await inProcess(['bench', 'run', ...store, ...shortRun])
    expect([code, out.includes('callers: 16 callers, each waits for its answer, in 2 threads')]).toEqual([
      0,
      true,
    ])
    const { config, targets } = JSON.parse(
      await readFile(join(root, 'two', 'result.json'), 'utf8'),
    ) as ResultOf<'run'>
    expect(config.threads).toBe(2)
    expect(targets[0]!.runs.map(({ operations }) => operations)).toEqual([60, 60])
  })

  test('exits with 3 if a threshold was crossed, and says which', async () => {
    const { code, out, err } = await benchRun(
      '--store',
      'memory:',
      '--out',
      't',
      '--fail-if',
      'read.mean > 1ns',
    )
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
      ...typed(`bench run -P ${file} -p readproportion=0.5 -p udpateproportion=1 --format ycsb`),
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
    ['-P missing', 'The property file missing cannot be read (ENOENT).'],
    ['--preset a -P x', 'Choose --preset or --property-file, not both.'],
    ['-p recordcount', "-p 'recordcount' must be name=value."],
    ['-p readproportion=-1', 'The property readproportion (-p) must be a number of 0 or more'],
    ['--format xml', "--format: 'xml' is unknown; known are text, json, markdown, ycsb."],
    ['--format json --json', 'Choose --format, --json or --markdown, not both.'],
    ['--rate 10 --concurrency 4', '--concurrency says nothing beside --rate: use --max-in-flight.'],
    ['--arrivals poisson', '--arrivals needs --rate.'],
    ['--when-full queue', '--when-full needs --rate.'],
    ['--threads 4 --concurrency 2', '4 threads need at least 4 callers, one for each; got 2.'],
    ['--batch 5', '--batch needs a mix with batch-read, batch-write or batch-insert.'],
    ['--preset c --scan-length 5', '--scan-length needs a mix with scan.'],
    ['--mix read=80,udpate=20', "Mix: there is no operation 'udpate'"],
    ['--mix read', "Mix: 'read' is not an operation with a weight. Write it like read=80,update=20."],
    ['--mix read=1,read=2', 'Mix: read has two weights. Name it once.'],
    ['--mix read=0', 'no operation has a weight above 0'],
    ['--preset g', "--preset: 'g' is not one of a, b, c, d, e, f."],
    ['--duration soon', "--duration: 'soon' is not a time. Write it like 500ms, 30s, 5m, 1h or 7d."],
    ['--duration 0', "--duration: A run of '0' would measure nothing. Write a time above 0."],
    ['--rate 0', '--rate: a rate must be above 0.'],
    ['--rate 100..1000', "--rate: '100..1000' needs a time. Write it like 100..1000/30s"],
    ['--rate 10/s', 'a rate is of operations a second, so write 10 for 10 a second'],
    [
      "--fail-if 'read.p99 > 10'",
      "--fail-if: The threshold 'read.p99 > 10' cannot be used: a time needs a unit: us, ms or s.",
    ],
    ["--fail-if 'red.p99 > 1ms'", 'the workload does not have; it has read, update.'],
    ["--fail-if 'scan.p99 > 1ms'", 'is about an operation that the workload does not have'],
    ['--fail-if p99', 'like read.p99 > 10ms'],
    ['--value-size 2T', '2T'],
    ['--keys zipfan', 'zipfian'],
    ['--concurency 3', 'Did you mean --concurrency?'],
  ])('refuses %j with exit code 2 and one sentence, and writes nothing', async (args, message) => {
    const { code, err } = await benchRun('--store', 'memory:', '--out', 'wrong', ...typed(args))
    expect([code, err.includes(message)], err).toEqual([2, true])
    expect(existsSync(join(root, 'wrong'))).toBe(false)
  })

  test('refuses an operation that a store cannot do, before anything runs', async () => {
    const { code, err } = await benchRun('--store', 'file:./u', '--preset', 'e')
    expect([code, err.trim()]).toEqual([
      2,
      'unikv: file cannot do the operation scan: it does not list keys in order.',
    ])
  })
})

/** What makes a command of the guide short, or let it compare what a busy machine measured. */
function optionsOf([, name, ...args]: readonly string[]): readonly string[] {
  if (name === 'compare') return ['--force']
  if (name === 'load') return []
  if (args.includes('--config')) return []
  const short = shortRun.with(-1, '1')
  return args.includes('--table') ? short.slice(2) : short
}

test('the commands of the guide work in their order', async () => {
  // Workers need a queue: workers-command.test.ts
  const commands = (await commandsOfGuide('bench-run')).filter((command) => !command.includes('--queue'))
  expect(commands.map(([, name]) => name).join(' ')).toBe('run run run run run compare load run load run')
  const guide = await readFile(new URL('../../../docs/guides/bench-run.md', import.meta.url), 'utf8')
  await writeFile(join(root, 'shop.mjs'), /^```js\n([^]*?)^```$/m.exec(guide)?.[1] as string)
  const blocks = [...guide.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = '']) => text)
  const day = blocks.find((text) => text.includes('phases:')) as string
  const short = day.replace('duration: 1s', 'operations: 100').replace('/1s', '/200ms')
  await writeFile(join(root, 'day.yaml'), short)
  for (const command of commands) {
    const here: Readonly<Record<string, string>> = {
      'redis://127.0.0.1': 'memory:',
      '100..400/1s,400/1s': '100..400/200ms,400/200ms',
    }
    const args = command.map((one) => here[one] ?? one)
    const { code, err } = await inProcess([...args, ...optionsOf(args)])
    // The figures are those of a busy machine.
    expect([0, 3, 4], err).toContain(code)
    if (args[1] === 'run')
      await cp(join(root, 'unikv-bench-run'), join(root, 'baseline'), { recursive: true })
  }
})
