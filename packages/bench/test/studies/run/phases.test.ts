import { StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { parseThreshold } from '../../../src/driven/thresholds/threshold.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { textReport } from '../../../src/page/text-report.ts'
import type { RunResult } from '../../../src/studies/run/config.ts'
import { run } from '../../../src/studies/run/run.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import { drive, runConfig } from './drive.ts'

const phases = [
  { name: 'fill', warmup: true, mix: { insert: 1 }, operations: 50 },
  { name: 'quiet', mix: 'read=1', concurrency: 2, operations: 100 },
  { name: 'peak', mix: { read: 9, update: 1 }, rate: 2_000, duration: '300ms' },
]
const fields = {
  phases,
  records: 100,
  operations: undefined,
  concurrency: undefined,
  runs: 2,
  warmup: undefined,
}

const labels = ({ targets }: RunResult) =>
  targets.map(({ store, phase, runs }) => [store, phase, runs.length])

describe('the phases of a run', () => {
  test('follow each other on the same records, and each has results of its own', async () => {
    const order: string[] = []
    const stores = ['a', 'b'].map((name) => ({ name, url: 'memory:', store: memory() }))
    const result = await drive(fields, memory(), {
      stores,
      onEvent: (event) => {
        if (event.type === 'cell') order.push(`${event.cell.run} ${event.label}`)
      },
    })
    expect(order.join(', ')).toBe(
      '0 a, 0 b, 1 b fill, 1 b quiet, 1 b peak, 1 a fill, 1 a quiet, 1 a peak, ' +
        '2 a fill, 2 a quiet, 2 a peak, 2 b fill, 2 b quiet, 2 b peak',
    )
    expect(labels(result)).toEqual([
      ['a', 'quiet', 2],
      ['a', 'peak', 2],
      ['b', 'quiet', 2],
      ['b', 'peak', 2],
    ])
    const [quiet, peak] = result.targets as [RunResult['targets'][0], RunResult['targets'][0]]
    expect(quiet.operations).toMatchObject([{ name: 'read', count: 200, response: null }])
    expect(peak.runs[0]!.open).toMatchObject({ arrivals: 600 })
    expect(peak.runs[0]!.open!.targets[0]).toBe(2_000)
    expect(peak.operations.map(({ name }) => name)).toEqual(['read', 'update'])
    expect(result.config.warmupMs).toBe(0)
  })

  test('are rows of tables and files, and are read back', async () => {
    const result = await drive(fields)
    const files = resultFiles(run, result)
    expect(parseResult(run, files.get('result.json')!)).toEqual(result)
    expect([...files.keys()]).toEqual(expect.arrayContaining(['here_quiet.hlog', 'here_peak.hlog']))
    expect(files.get('rate-over-time.dat')).toMatch(/here_peak_per_s/)
    expect(files.get('asked-over-time.dat')).toMatch(/second\tpeak_asked_per_s/)
    const places = run.report.rows(result).map(({ value: _, ...place }) => JSON.stringify(place))
    expect(new Set(places).size).toBe(places.length)
    const text = textReport(run, result)
    expect(text).toMatch(/^here quiet +read /m)
    expect(text).toMatch(/^here peak +update /m)
    expect(text.replace(/\n +/g, ' ')).toContain(
      'phase fill: 100 % insert; 16 callers, each waits for its answer; 50 operations, not counted',
    )
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  test('that are not counted make the next one invalid when their operations fail', async () => {
    const store = memory()
    const full = new StoreError('UNAVAILABLE', 'the disk is full')
    let isFull = false
    const write: typeof store.write = (mutations, call) =>
      isFull ? mutations.map(() => full) : store.write(mutations, call)
    const { status, error, targets } = await drive(
      { ...fields, runs: 1 },
      { ...store, write },
      {
        onEvent: (event) => void (event.type === 'cell' && (isFull = event.cell.run === 0)),
      },
    )
    expect([status, labels({ targets } as RunResult).length]).toEqual(['invalid', 2])
    expect(error).toContain(
      'here quiet, run 1: in the phase fill before it, which is not counted, 50 of 50 operations failed, the first one with: the disk is full',
    )
    expect(targets[1]!.runs[0]!.invalid.map(({ message }) => message).join()).not.toContain('fill')
  })

  test('leave no results if the run is interrupted before one of them is counted', async () => {
    const [abort, reason] = [new AbortController(), new Error('Ctrl-C')]
    const endless = { name: 'fill', warmup: true, duration: '1h' }
    const interrupted = drive({ ...fields, phases: [endless, { name: 'next' }] }, memory(), {
      signal: abort.signal,
      onEvent: ({ type }) => void (type === 'cell' && setTimeout(() => abort.abort(reason), 50)),
    })
    await expect(interrupted).rejects.toBe(reason)
  })

  test('have thresholds apart, which pass over a phase without the operation', async () => {
    const failIf = ['update.errors > 0', 'read.mean > 1ns'].map(parseThreshold)
    const { status, thresholds } = await drive({ ...fields, failIf })
    expect(thresholds.map(({ store, text, isCrossed }) => [store, text, isCrossed])).toEqual([
      ['here quiet', 'read.mean > 1ns', true],
      ['here peak', 'update.errors > 0', false],
      ['here peak', 'read.mean > 1ns', true],
    ])
    expect(['crossed', 'invalid']).toContain(status) // a busy machine may be late
  })

  test.each([
    [{}, 'Phases: must be a list'],
    [[], 'Phases: must be a list'],
    [[1], 'Phases: number 1 is not an object with a name.'],
    [[{ rate: 5 }], 'Phases: number 1 needs a `name` of up to 32 letters, digits, - and _.'],
    [[{ name: 'a', rates: 5 }], 'Did you mean `rate`?'],
    [[{ name: 'a', rate: 5, concurrency: 1 }], 'Phases: a has a rate and callers (concurrency). Choose one'],
    [[{ name: 'a' }, { name: 'a' }], 'Phases: two have the name a.'],
    [[{ name: 'a', warmup: true }], 'Phases: all of them are warm-ups'],
    [[{ name: 'a', mix: { raed: 1 } }], "Mix: there is no operation 'raed'"],
    [[{ name: 'a', mix: { read: 0 } }], 'Phases: no operation has a weight above 0.'],
    [[{ name: 'a', rate: 'fast' }], "--rate: 'fast' is not a rate"],
    [[{ name: 'a', duration: 'soon' }], "'soon' is not a time"],
    [[{ name: 'a', duration: 0 }], 'Phases: a has a `duration` of 0, so it would measure nothing.'],
    [[{ name: 'a', operations: 0 }], 'Phases: a has `operations` that are not a whole number from 1, got 0.'],
    [[{ name: 'a', concurrency: 1.5 }], 'Phases: a has `concurrency` that are not a whole number from 1'],
    [[{ name: 'a', warmup: 'no' }], 'Phases: a has a `warmup` that is not true or false.'],
    [Array.from({ length: 1_000 }, (_, index) => ({ name: `p${index}` })), 'at most 999 can be'],
  ])('are refused for %j', async (given, message) => {
    await expect(runConfig({ ...fields, phases: given })).rejects.toThrow(message)
  })

  test('take options of a rate where one of them has a rate', async () => {
    const given = { arrivals: 'poisson', maxInFlight: 5, whenFull: 'queue' }
    const config = await runConfig({ ...fields, phases: [{ name: 'a' }, { name: 'b', rate: 5 }], ...given })
    expect(config).toMatchObject(given)
  })

  test.each([
    ['mix', { mix: { read: 1 } }, { mix: 'update=1' }],
    ['rate', { rate: 50 }, { concurrency: 2 }],
    ['concurrency', { concurrency: 2 }, { rate: 50 }],
    ['duration', { duration: 1_000 }, { rate: '1..5/1s' }],
    ['operations', { operations: 7 }, { operations: 5 }],
    ['(rate|arrivals)', { rate: 5, arrivals: 'poisson' }, { concurrency: 2 }],
    [
      '(mix|scan-length)',
      { mix: { scan: 1 }, scanLength: { kind: 'constant', length: 5 } },
      { mix: 'read=1' },
    ],
  ])('refuse --%s when each has its own', async (flag, given, own) => {
    const configured = (...phases: object[]) => runConfig({ ...fields, ...given, phases })
    await expect(configured({ name: 'a', ...own }, { name: 'b', ...own })).rejects.toThrow(
      new RegExp(`--${flag} `),
    )
    expect((await configured({ name: 'a', ...own }, { name: 'b' })).phases).toHaveLength(2)
  })
})
