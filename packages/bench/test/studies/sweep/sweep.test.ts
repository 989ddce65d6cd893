import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bytes, Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { Histogram, histogramJson } from '@unikv/core/histogram'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { averaged } from '../../../src/driven/target-results.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { CellFolder } from '../../../src/page/run-folder.ts'
import { markdownReport, textReport } from '../../../src/page/text-report.ts'
import { fastRandom } from '../../../src/random/random.ts'
import { uslFit } from '../../../src/statistics/usl/usl-fit.ts'
import { uslThroughput } from '../../../src/statistics/usl/usl-law.ts'
import { parseAxis } from '../../../src/studies/sweep/axis.ts'
import type { Curve, SweepConfig, SweepResult } from '../../../src/studies/sweep/config.ts'
import { curvesOf, type SweepRecord } from '../../../src/studies/sweep/curves.ts'
import { findings } from '../../../src/studies/sweep/report/findings.ts'
import { placeText } from '../../../src/studies/sweep/report/law-table.ts'
import { planSweep, type SweepCell } from '../../../src/studies/sweep/setting.ts'
import { sweep } from '../../../src/studies/sweep/sweep.ts'
import type { CellStore } from '../../../src/study/kept-cells.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import { runStudy, type StudyInput } from '../../../src/study/run-study.ts'
import { configOf as configFor } from '../config-of.ts'

const short = { records: 100, operations: 200, duration: 3_600_000, warmup: 0, runs: 2 }

async function configOf(fields: object): Promise<SweepConfig> {
  return configFor(sweep, { ...short, ...fields })
}

async function swept(
  fields: object,
  store: Store<Bytes> = memory(),
  input: Partial<StudyInput<SweepConfig, SweepCell>> = {},
): Promise<SweepResult> {
  return runStudy(sweep, {
    config: await configOf(fields),
    stores: [{ name: 'here', url: 'memory:', store }],
    data: synthetic({ seed: 1 }),
    ...input,
  })
}

async function keysIn(store: Store<Bytes>): Promise<string[]> {
  const keys: string[] = []
  for await (const page of store.scan({ prefix: '', pageSize: 100, values: false }, callOptions()))
    keys.push(...page.entries.map(({ key }) => key))
  return keys
}

/** The text of a result, in one line. */
function lineOf(text: string): string {
  return text.replace(/\s+/g, ' ')
}

describe('a sweep', () => {
  test('over value sizes measures reads and writes apart, and leaves nothing in the store', async () => {
    const store = memory()
    const over = parseAxis('value-size=10,100,1K')
    const result = await swept({ over }, store)
    expect([result.status, result.error]).toEqual(['complete', null])
    expect(result.curves.map(({ load, points }) => [load, points.map(({ value }) => value)])).toEqual([
      ['read', [10, 100, 1_000]],
      ['write', [10, 100, 1_000]],
    ])
    for (const { fit, points } of result.curves)
      expect([fit, points.every(({ rate, errors }) => rate.runs.length === 2 && errors === 0)]).toEqual([
        null,
        true,
      ])
    expect(await keysIn(store)).toEqual([])
  })

  test('tells itself in text, Markdown and files, and is the same when it is read back', async () => {
    const result = await swept({ over: parseAxis('concurrency=1,2,4'), mix: { read: 1, update: 1 } })
    expect(result.curves.map(({ load, fit }) => [load, fit !== null])).toEqual([['mix', true]])
    const files = resultFiles(sweep, result)
    expect(parseResult(sweep, files.get('result.json')!)).toEqual(result)
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['rate-mix.dat', 'times-mix.csv', 'report.html']),
    )
    expect(markdownReport(sweep, result)).toContain('| here | 4 |')
    for (const line of textReport(sweep, result).split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  test.each([
    [{ over: parseAxis('records=10,20'), records: 5 }, '--records says nothing beside --over records.'],
    [{ property: ['target=100'] }, 'A sweep has no rate'],
    [{ over: parseAxis('threads=1,2') }, 'here is an open store without a URL'],
  ])('refuses %j', async (fields, message) => {
    await expect(swept(fields)).rejects.toThrow(message)
  })

  test('loads a set of records once: one for all callers, one for each size of values', async () => {
    const stores = [{ name: 'here', url: 'memory:', store: memory() }]
    const loads = async (over: string): Promise<number> =>
      planSweep({ config: await configOf({ over: parseAxis(over) }), stores }).filter(({ run }) => run === 0)
        .length
    expect([
      await loads('concurrency'),
      await loads('value-size=1,2,3'),
      await loads('read-share=0,50'),
    ]).toEqual([1, 3, 1])
  })
})

/** Cells in memory, and what was asked of them. */
function cellStore(): CellStore & { readonly kept: Map<string, unknown>; written: number } {
  const kept = new Map<string, unknown>()
  const cells = {
    kept,
    written: 0,
    read: async (name: string) => kept.get(name),
    write: async (name: string, cell: unknown) => {
      cells.written++
      kept.set(name, JSON.parse(JSON.stringify(cell)))
    },
  }
  return cells
}

test('a sweep that was interrupted goes on: finished cells are not measured again, and nothing is loaded for them', async () => {
  const over = parseAxis('concurrency=1,2,3')
  const cells = cellStore()
  const abort = new AbortController()
  const first = await swept({ over }, memory(), {
    cells,
    signal: abort.signal,
    onEvent: (event) => {
      if (event.type === 'cell' && event.done === 6) abort.abort()
    },
  })
  expect([first.status, cells.written]).toEqual(['interrupted', 5]) // the first one loads
  const second = await swept({ over }, memory(), { cells })
  expect([second.status, cells.written]).toEqual(['complete', 12])
  const rates = (result: SweepResult): readonly number[] =>
    result.curves.flatMap(({ points }) => points.flatMap(({ rate }) => rate.runs.slice(0, 1)))
  expect(rates(second)).toEqual(expect.arrayContaining([...rates(first)]))
  let writes = 0
  const idle = memory()
  const counting: Store<Bytes> = {
    ...idle,
    read: (reads, call) => idle.read(reads, call),
    write: (mutations, call) => ((writes += mutations.length), idle.write(mutations, call)),
    scan: (range, call) => idle.scan(range, call),
    close: () => idle.close(),
  }
  const third = await swept({ over }, counting, { cells })
  expect([third.curves, cells.written, writes]).toEqual([second.curves, 12, 2]) // the sign of life, set and removed
  await swept({ over, seed: 7 }, memory(), { cells })
  expect(cells.written).toBe(24)
})

test('a kept cell that is damaged, or cannot be kept, counts as missing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-cells-'))
  const cells = new CellFolder(folder)
  await cells.write('a', { operations: 5 })
  expect(await cells.read('a')).toEqual({ operations: 5 })
  const file = join(folder, '.unikv-cells', 'a.json')
  await writeFile(file, (await readFile(file, 'utf8')).replace('5', '6'))
  expect(await cells.read('a')).toBe(undefined)
  await writeFile(file, '{"operations":5}')
  expect(await cells.read('a')).toBe(undefined)
  const full = new CellFolder(file)
  await full.write('b', {})
  expect(await full.read('b')).toBe(undefined)
  await rm(folder, { recursive: true })
})

/** Records of runs whose throughput follows the law exactly. */
function byLaw(config: SweepConfig): readonly SweepRecord[] {
  const law = { alpha: 0.02, beta: 0.0005, gamma: 1_000 }
  return planSweep({ config, stores: [{ name: 'here', url: 'memory:', store: memory() }] })
    .filter(({ run }) => run > 0)
    .map((cell) => {
      const service = new Histogram()
      for (let i = 0; i < 100; i++) service.record(1e6 * cell.value)
      const elapsedMs = (100 / uslThroughput(law, cell.value)) * 1_000
      const kinds = [
        {
          name: 'read' as const,
          outcome: null,
          errors: 0,
          errorCodes: {},
          late: 0,
          service: histogramJson(service),
          response: null,
        },
      ]
      return {
        cell,
        sample: {
          elapsedMs,
          countedMs: elapsedMs,
          operations: 100,
          errors: 0,
          firstError: null,
          kinds,
          schedule: null,
          checks: null,
          invalid: [],
        },
      }
    })
}

test.each([
  [undefined, 'throughput falls again after its highest point', 'the peak is 15,700/s at 44 callers.'],
  [
    'concurrency=1,2,5,10',
    'throughput rises with every caller',
    'at 44 callers (extrapolated: beyond what was measured)',
  ],
])('finds the law behind a curve (%s), and says whether its peak was measured', async (text, shape, peak) => {
  const fields = text === undefined ? {} : { over: parseAxis(text) }
  const config = await configOf({ ...fields, mix: { read: 1 } })
  const [curve] = curvesOf(config, [{ name: 'here' }], byLaw(config))
  expect(curve!.fit!.alpha).toBeCloseTo(0.02, 6)
  expect(curve!.fit!.beta).toBeCloseTo(0.0005, 8)
  expect(curve!.fit!.peakN).toBeCloseTo(44.272, 2)
  expect(placeText({ field: 'concurrency', values: [1] }, 1)).toBe('1 caller')
  const told = lineOf(findings({ config, curves: [curve] } as unknown as SweepResult).join(' '))
  expect(told).toContain(shape)
  expect(told).toContain(peak)
})

/** Runs of a curve at these callers, whose throughput scatters by 5 %. */
function scattered(throughput: (n: number) => number, seed: number, deviation = 0.05): Curve {
  const random = fastRandom(seed)
  const factor = (): number => 1 + deviation * (random.next() + random.next() + random.next() - 1.5) * 2
  const points = [1, 2, 4, 8, 16, 32, 64].map((value) => {
    const rate = averaged(Array.from({ length: 3 }, () => throughput(value) * factor()))
    return {
      value,
      rate,
      errors: 0,
      operations: [],
      latency: { meanMs: averaged([1]), p50Ms: 1, p95Ms: null, p99Ms: null },
    }
  })
  const fit = uslFit(points.flatMap(({ value: n, rate }) => rate.runs.map((x) => ({ n, x }))))
  return { store: 'here', load: 'read', points, fit } as unknown as Curve
}

test.each([
  ['is flat', () => 90],
  ['is flat, but for one caller who does more', (n: number) => (n === 1 ? 120 : 90)],
  ['rises with every caller', (n: number) => 100 * n],
  ['has a limit alone', (n: number) => uslThroughput({ alpha: 0.02, beta: 0, gamma: 50 }, n)],
])('a curve that %s has no peak in sentences and tables', async (_, throughput) => {
  const config = await configOf({ mix: { read: 1 } })
  const told = Array.from({ length: 20 }, (_, seed) => {
    const result = { config, curves: [scattered(throughput, seed)] } as unknown as SweepResult
    const [peak] = sweep.report
      .summary(result)
      .at(-1)!
      .rows.map((row) => row[3]!)
    return [findings(result).join(' ').includes('the peak is'), /\d/.test(peak!)]
  })
  expect(told.filter(([inSentence, inTable]) => inSentence || inTable).length).toBeLessThanOrEqual(2)
})

test.each([
  ['concurency=1,2', "a sweep cannot go over 'concurency'; it can go over concurrency, threads"],
  ['records', "'records' has no values. Write them like records=1,10,100."],
  ['records=1,x', "'x' is not a value of records."],
  [
    'concurrency=0,1',
    "'0' is not a value of concurrency. Write whole numbers from 1 to 100,000, such as 100 or 10K.",
  ],
  ['concurrency=1M', "'1M' is not a value of concurrency."],
  ['threads=1.5', "'1.5' is not a value of threads. Write whole numbers from 1 to 256"],
  ['read-share=0,120', "'120' is not from 0 to 100 per cent of reads."],
])('--over %s is refused', (text, message) => {
  expect(() => parseAxis(text)).toThrow(message)
})
