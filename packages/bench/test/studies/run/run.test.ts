import { type Bytes, type ReadResult, type ScanEntry, type Store, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { pause } from '@unikv/core/platform'
import { describe, expect, test } from 'vitest'
import { parseThreshold } from '../../../src/driven/thresholds/threshold.ts'
import { operationNames } from '../../../src/operations/mix.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { markdownReport, textReport } from '../../../src/page/text-report.ts'
import type { RunResult } from '../../../src/studies/run/config.ts'
import { run } from '../../../src/studies/run/run.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import { configOf } from '../config-of.ts'
import { drive, runConfig } from './drive.ts'

const everything = Object.fromEntries(operationNames.map((name) => [name, 1]))

function counts({ targets }: RunResult): Record<string, number> {
  const operations = targets[0]?.operations ?? []
  return Object.fromEntries(
    operations.map(({ name, outcome, count }) => [outcome === null ? name : `${name} ${outcome}`, count]),
  )
}

async function keysIn(store: Store<Bytes>): Promise<string[]> {
  const keys: string[] = []
  for await (const page of store.scan({ prefix: '', pageSize: 100, values: false }, callOptions()))
    keys.push(...page.entries.map(({ key }) => key))
  return keys
}

/** A store that does something of its own before each read, or reads in its own way. */
function reading(
  before: (read: number) => void | Promise<void>,
  readAs?: Store<Bytes>['read'],
  store: Store<Bytes> = memory(),
): Store<Bytes> {
  let reads = 0
  return {
    ...store,
    name: 'memory',
    capabilities: { ...store.capabilities, sync: 'none' },
    native: undefined,
    read: async (items, call) => {
      await before(reads++)
      return readAs?.(items, call) ?? store.read(items, call)
    },
    write: (items, call) => store.write(items, call),
    scan: (range, call) => store.scan(range, call),
    close: () => store.close(),
  }
}

describe('a run', () => {
  test('does every operation of a mix, counts each, and leaves nothing in the store', async () => {
    const store = memory()
    const result = await drive({ mix: everything, operations: 1_000 }, store)
    expect([result.status, result.error]).toEqual(['complete', null])
    const found = counts(result)
    expect(Object.keys(found)).toEqual(expect.arrayContaining([...operationNames]))
    expect(Object.values(found).reduce((sum, count) => sum + count, 0)).toBe(2_000)
    expect(found['read miss']).toBeGreaterThan(0) // of what was deleted
    const runs = result.targets[0]!.runs
    for (const { kinds, series, operations } of runs) {
      expect(kinds.reduce((sum, { service }) => sum + service.count, 0)).toBe(operations)
      expect(series.reduce((sum, { all }) => sum + all.operations, 0)).toBe(operations)
    }
    expect(await keysIn(store)).toEqual([])
  })

  test('does the same operations for the same seed, whatever the number of callers', async () => {
    const [one, four, other] = await Promise.all(
      [{ concurrency: 1 }, { concurrency: 4 }, { seed: 7 }].map(async (fields) =>
        counts(await drive({ preset: 'a', ...fields })),
      ),
    )
    expect(one).toEqual(four)
    expect(one).not.toEqual(other)
  })

  test('counts failures apart from times, with the first message', async () => {
    const store = reading((read) => {
      if (read % 50 === 10) throw new StoreError('UNAVAILABLE', `read ${read} is refused`)
    })
    const result = await drive({ preset: 'c', concurrency: 1, operations: 200 }, store)
    const [{ operations, runs }] = result.targets as [RunResult['targets'][number]]
    expect(operations).toMatchObject([{ name: 'read', count: 392, errors: 8 }])
    expect(runs[0]!.firstError).toBe('read 10 is refused')
    expect([result.status, result.error]).toEqual([
      'invalid',
      'here, run 1: 4 of 200 operations failed (also run 2).',
    ])
  })

  test('that is interrupted keeps what it measured', async () => {
    const abort = new AbortController()
    const slow = reading(() => pause(2))
    const result = await drive({ preset: 'c', operations: 1e9, duration: 60_000 }, slow, {
      signal: abort.signal,
      onEvent: (event) => {
        if (event.type === 'interval' && event.run === 1) abort.abort()
      },
    })
    expect([result.status, result.targets[0]!.runs.length]).toEqual(['interrupted', 1])
    expect(result.targets[0]!.runs[0]!.operations).toBeGreaterThan(0)
  })
})

/** An entry of a scan with another value. */
function otherValue({ key, entry }: ScanEntry<Bytes>): ScanEntry<Bytes> {
  return {
    key,
    entry: entry !== undefined && 'value' in entry ? { ...entry, value: new Uint8Array(9) } : entry,
  }
}

/** A record with another value. */
function swapped(found: ReadResult<Bytes>): ReadResult<Bytes> {
  return found !== undefined && 'value' in found ? { ...found, value: new Uint8Array(1_000) } : found
}

describe('a run with checks of reads', () => {
  const reads = { read: 2, 'read-modify-write': 1, 'batch-read': 1, update: 1 }

  test('says how many values were checked, and passes if all are right', async () => {
    const { status, targets, thresholds } = await drive({
      mix: reads,
      check: true,
      keys: { kind: 'uniform' },
    })
    expect([status, thresholds]).toEqual([
      'complete',
      [{ store: 'here', text: 'wrong > 0', found: 0, isCrossed: false }],
    ])
    const batches = targets[0]!.operations.find(({ name }) => name === 'batch-read')!.count
    const { runs } = targets[0]!
    const checked = runs.reduce((sum, { checks }) => sum + checks!.checked, 0)
    expect(checked).toBeGreaterThan(10 * batches)
    expect(runs.map(({ checks }) => checks!.wrong)).toEqual([0, 0])
  })

  test('counts wrong values as failures, and fails by them alone', async () => {
    const good = memory()
    let answers = 0
    const store = reading(
      () => {},
      async (items, call) => {
        const found = await good.read(items, call)
        return ++answers % 4 === 0 ? found.map(swapped) : found
      },
      good,
    )
    const result = await drive({ preset: 'c', check: true }, store)
    const { operations, runs } = result.targets[0]!
    expect(result.status).toBe('crossed')
    expect(operations).toMatchObject([{ name: 'read', count: 600, errors: 200 }])
    expect(runs[0]).toMatchObject({
      firstError: 'A read returned a wrong value.',
      checks: { checked: 400, wrong: 100 },
      invalid: [],
    })
    expect(result.error).toBe('Crossed: here: wrong > 0 (found 200).')
    expect(textReport(run, result)).toContain('800 values that reads returned were checked, 200 were wrong')
  })

  test('looks at scans: at their order, and at values whose numbers the keys tell', async () => {
    const scans = {
      mix: { scan: 1, insert: 1 },
      check: true,
      property: ['insertorder=ordered', 'zeropadding=6'],
    }
    const good = await drive(scans)
    const found = good.targets[0]!.operations.find(({ name }) => name === 'scan')!.count
    const checked = good.targets[0]!.runs.reduce((sum, { checks }) => sum + checks!.checked, 0)
    expect(good.status).toBe('complete')
    expect(checked).toBeGreaterThan(5 * found)
    const store = memory()
    const spoiled: Store<Bytes> = {
      ...reading(() => {}, undefined, store),
      scan: async function* (range, call) {
        for await (const page of store.scan(range, call))
          yield { ...page, entries: page.entries.map(otherValue) }
      },
    }
    const wrong = await drive({ ...scans, mix: { scan: 1 } }, spoiled)
    expect(wrong.status).toBe('crossed')
    expect(wrong.targets[0]!.runs[0]!.firstError).toBe('A scan returned a wrong value.')
    const hashed = await drive({ mix: { scan: 1 }, check: true })
    expect(hashed.targets[0]!.runs[0]!.checks).toEqual({ checked: 400, wrong: 0 })
  })

  test('does nothing unless it was asked for', async () => {
    const { targets, thresholds } = await drive({ preset: 'c' })
    expect([targets[0]!.runs[0]!.checks, thresholds]).toEqual([null, []])
    const failIf = [parseThreshold('wrong > 0')]
    await expect(drive({ preset: 'c', failIf })).rejects.toThrow("'wrong > 0' needs reads that are checked")
    await expect(runConfig({ mix: { update: 1 }, check: true })).rejects.toThrow(
      '--check needs a mix with read',
    )
    const config = await configOf(run, { preset: 'c', property: ['dataintegrity=true'] })
    expect(config).toMatchObject({ workload: { check: true } })
  })
})

test('a batch has as many records as it should, whatever the law of keys', async () => {
  const store = memory({ maxEntries: 1_000 })
  let most = Infinity
  const counted = reading(
    () => {},
    (items, call) => {
      if (items.length > 1) most = Math.min(most, items.length)
      return store.read(items, call)
    },
    store,
  )
  const keys = { kind: 'zipfian', theta: 3, law: 'exact', scrambled: false }
  await drive({ mix: { 'batch-read': 1 }, batch: 50, keys, operations: 20, concurrency: 1 }, counted)
  expect(most).toBe(50)
  await expect(drive({ mix: { 'batch-read': 1 }, batch: 201 })).rejects.toThrow(
    'A batch of 201 needs as many records',
  )
})

describe('a result', () => {
  test('is the same when it is read back, and tells itself in text, Markdown and files', async () => {
    const result = await drive({ mix: { read: 1, delete: 1 }, rate: 2_000, failIf: [] })
    const files = resultFiles(run, result)
    expect(parseResult(run, files.get('result.json')!)).toEqual(result)
    expect(textReport(run, result)).toContain('of read operations found no record')
    expect(markdownReport(run, result)).toContain('| here | read (miss) |')
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['rate-over-time.dat', 'percentiles-read.csv', 'report.html', 'here.hlog']),
    )
    for (const line of textReport(run, result).split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  test('does not pass for kept a threshold with too few operations to tell', async () => {
    const failIf = ['read.p99.9 > 9s', 'errors > 0'].map(parseThreshold)
    const result = await drive({ preset: 'c', failIf })
    expect([result.status, result.error]).toEqual([
      'invalid',
      'Too few operations to tell: here: read.p99.9 > 9s. Make the runs longer.',
    ])
    expect(textReport(run, result)).toMatch(/^\? +here +read\.p99\.9 > 9s +too few operations$/m)
  })

  test('says what a threshold came to, and fails if one was crossed', async () => {
    const failIf = ['read.mean > 1ns', 'errors > 0', 'rate < 1'].map(parseThreshold)
    const result = await drive({ preset: 'c', failIf })
    expect([result.status, result.thresholds.map(({ isCrossed }) => isCrossed)]).toEqual([
      'crossed',
      [true, false, false],
    ])
    expect(result.error).toMatch(/^Crossed: here: read\.mean > 1ns \(found [\d.]+ (µs|ms)\)\.$/)
  })
})

test('properties beside a preset count, and threads at a target bound the operations in flight', async () => {
  const properties = ['insertstart=10', 'insertcount=50', 'target=500', 'threadcount=7']
  const config = await configOf(run, { preset: 'b', property: properties })
  expect(config).toMatchObject({
    rate: 500,
    maxInFlight: 7,
    whenFull: 'queue',
    workload: { firstRecord: 10, records: 50 },
  })
  const plain = await configOf(run, {})
  expect(plain).toMatchObject({ workload: { firstRecord: 0, records: 10_000 } })
})

test('a number of operations does not cut the parts of a rate', async () => {
  const rate = [{ from: 10, to: 100, ms: 30_000 }]
  expect((await runConfig({ rate, duration: undefined, operations: 5 })).durationMs).toBe(30_000)
})

test('a rate that changes lasts as long as its stages, and the report shows it beside what was reached', async () => {
  const rate = [
    { from: 100, to: 300, ms: 600 },
    { from: 300, to: 300, ms: 600 },
  ]
  const fields = { preset: 'c', rate, operations: undefined, duration: undefined, runs: 1, warmup: 100 }
  const result = await drive(fields)
  expect(result.config.durationMs).toBe(1_200)
  const { open, series } = result.targets[0]!.runs[0]!
  expect(open!.arrivals).toBe(300)
  expect(open!.targets[0]).toBeCloseTo(240)
  expect(open!.targets.length).toBe(series.length)
  const files = resultFiles(run, result)
  expect(parseResult(run, files.get('result.json')!)).toEqual(result)
  expect(files.get('asked-over-time.dat')).toMatch(/second\tasked_per_s\n0\t240/)
  expect(files.get('report.html')).toContain('Dashed: the rate that the schedule asked for.')
  expect(textReport(run, result)).toContain('100 to 300 in 600 ms, then 300 for 600 ms')
})

describe('before anything is sent', () => {
  const unordered = (): Store<Bytes> => {
    const store = memory()
    const scan = { order: 'none', delivery: 'once', prefix: 'filtered' } as const
    return {
      ...reading(() => {}),
      capabilities: { ...store.capabilities, scan, increment: false },
    }
  }

  test.each([
    [{ preset: 'e' }, 'here cannot do the operation scan: it does not list keys in order.'],
    [{ mix: { increment: 1 } }, 'here cannot do the operation increment: it has no counters.'],
  ])('refuses %j where the store cannot', async (fields, message) => {
    await expect(drive(fields, unordered())).rejects.toThrow(message)
  })
})

describe('the number of runs', () => {
  const lengths = (result: RunResult) => result.targets.map(({ runs }) => runs.length)

  test('ends when the stores are known as precisely as wanted, and not before three runs', async () => {
    const result = await drive({ preset: 'c', until: 1, runs: undefined, operations: 50 })
    const [made] = lengths(result) as [number]
    expect([result.status, result.config.runs]).toEqual(['complete', 30])
    expect(made).toBeGreaterThanOrEqual(3)
    expect(made).toBeLessThan(30)
    expect(textReport(run, result)).toMatch(
      new RegExp(`runs: ${made} \\(until ±100 %, at most 30\\) of 50 operations`),
    )
    const missed = await drive({ preset: 'c', until: 1e-9, runs: 4, operations: 50 })
    expect(lengths(missed)).toEqual([4])
    expect(run.report.findings(missed).at(-1)).toMatch(
      /^here: after 4 runs its rate is known to ±[\d.]+ %, not to the ±.* % of --until\.$/,
    )
    expect(run.report.findings(result).join()).not.toContain('--until')
  })

  test('ends within a run once a threshold cannot be kept any more, if wanted, and keeps what was measured', async () => {
    const store = reading((read) => {
      if (read % 1_000 === 500) throw new StoreError('UNAVAILABLE', 'refused')
    })
    const failIf = ['errors > 2'].map(parseThreshold)
    const fields = { preset: 'c', operations: undefined, runs: 3, failIf, failFast: true }
    const result = await drive(fields, store)
    expect([result.status, lengths(result)]).toEqual(['crossed', [1]])
    expect(result.targets[0]!.runs[0]!.operations).toBeGreaterThan(2_000)
    expect(textReport(run, result)).toMatch(/here: run 1 ended after [\d.]+ of 3600\.0 s, as a threshold/)
  })

  test('ends after the first run that crossed a threshold, if wanted', async () => {
    const failIf = [parseThreshold('read.mean > 1ns')]
    expect(lengths(await drive({ preset: 'c', runs: 3, failIf }))).toEqual([3])
    const result = await drive({ preset: 'c', runs: 3, failIf, failFast: true })
    expect([result.status, lengths(result)]).toEqual(['crossed', [1]])
    await expect(drive({ preset: 'c', failFast: true })).rejects.toThrow('--fail-fast needs --fail-if')
    await expect(drive({ preset: 'c', until: 0.1, runs: 2 })).rejects.toThrow('--until needs three runs')
  })
})
