import { expect, test } from 'vitest'
import { drivenReport } from '../../src/driven/report/report.ts'
import type { DrivenResult } from '../../src/driven/result.ts'

/** An interval of a run: its length, its operations and the 99th percentile of their times. */
const interval = (lengthMs: number, operations: number, p99Ms: number | null) => {
  const all = { operations, errors: 0, p50Ms: p99Ms, p99Ms, maxMs: p99Ms }
  return { atMs: 0, lengthMs, all, kinds: [all] }
}

test('curves over time have a row for each second: of a stall, and of longer intervals of a long run', () => {
  const series = [
    interval(1_000, 50, 2),
    interval(1_000, 0, null),
    interval(2_000, 20, 9),
    interval(40, 1, 1),
  ]
  const run = { run: 1, series, open: null, kinds: [], countedMs: 4_040, elapsedMs: 4_040 }
  const target = { store: 'a', phase: null, runs: [run], operations: [], load: { records: 0, elapsedMs: 0 } }
  const found = drivenReport.tables({
    targets: [target],
    thresholds: [],
    startedAt: '',
  } as unknown as DrivenResult)
  const columns = found.map(({ name, rows }) => [name, rows.map(([second, value]) => [second, value])])
  expect(columns).toEqual([
    [
      'rate-over-time',
      [
        [0, 50],
        [1, 0],
        [2, 10],
        [3, 10],
      ],
    ],
    [
      'p99-over-time',
      [
        [0, 2],
        [1, null],
        [2, 9],
        [3, 9],
      ],
    ],
  ])
})
