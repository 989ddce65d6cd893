import { viewed } from '../../../cube/viewed.ts'
import { type CountedCalls, callLines } from '../../../driven/report/call-lines.ts'
import { mixOf } from '../../../operations/workload.ts'
import { formatExact, formatLength } from '../../../report/words/units.ts'
import type { SetupLine, StudyReport } from '../../../study/study-report.ts'
import type { Curve, SweepResult } from '../result.ts'
import { findings } from './findings.ts'
import { method } from './method.ts'
import { rows } from './rows.ts'
import { plots, summary } from './views.ts'
import { valueText } from './words.ts'

/** The report of the study. */
export const report: StudyReport<SweepResult> = {
  title: 'Sweep',
  sections: [
    { id: 'throughput', title: 'Throughput', lead: 'Operations a second at each value.' },
    { id: 'latency', title: 'Latency', lead: 'The time from the start of an operation to its end.' },
  ],
  findings,
  ...viewed({ rows, summary, plots }),
  setup,
  method,
}

function setup({ config, curves }: SweepResult): readonly SetupLine[] {
  const { over, loads, workload, runs, durationMs, operations, warmupMs, concurrency, threads } = config
  const length = operations === null ? formatLength(durationMs) : `${formatExact(operations)} operations`
  const names = loads.map(
    ({ name, mix }) =>
      `${name} (${mixOf({ mix })
        .map(([one]) => one)
        .join(', ')})`,
  )
  return [
    ['over', `${over.field} ${over.values.map((value) => valueText(over, value)).join(', ')}`],
    ['loads', names.join('; ')],
    ...(over.field === 'records' ? [] : [['records', formatExact(workload.records)] as const]),
    ...(over.field === 'concurrency' ? [] : [['callers', String(concurrency)] as const]),
    ...(threads === 1 ? [] : [['threads', String(threads)] as const]),
    ...callLines(config, curves.flatMap(callsOf)),
    ['runs', `${runs} of ${length} at each value, after a warm-up of ${formatLength(warmupMs)}`],
  ]
}

/** Calls of all runs of a curve. */
function callsOf({ store, points }: Curve): readonly CountedCalls[] {
  return points.map(({ operations: kinds, runs = [] }) => {
    const operations = kinds.reduce((sum, { count, errors }) => sum + count + errors, 0)
    const known = runs.flatMap(({ calls }) => calls ?? [])
    const isWhole = known.length > 0 && known.length === runs.length
    return { store, operations, calls: isWhole ? known.reduce((sum, calls) => sum + calls, 0) : null }
  })
}
