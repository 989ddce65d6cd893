import { eachRun, figures, type OwnRow, type Row, rowsAt, withoutUnits } from '../../../cube/row.ts'
import { type CountedCalls, callLines, connectionLines } from '../../../driven/report/words.ts'
import { callRows, failureRows, latencyRows } from '../../../driven/rows.ts'
import { mixOf } from '../../../operations/mix.ts'
import { formatExact, formatLength } from '../../../report/words.ts'
import type { SetupLine, StudyReport } from '../../../study/study-report.ts'
import { viewed } from '../../../study/viewed.ts'
import type { Curve, CurvePoint, SweepResult } from '../config.ts'
import { findings } from './findings.ts'
import { valueText } from './law-table.ts'
import { plots, summary } from './views.ts'

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
    ...connectionLines(
      curves.flatMap(({ store, points }) =>
        points.flatMap(({ runs = [] }) => runs.map(({ connections }) => ({ store, connections }))),
      ),
    ),
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

/** How it was measured, as HTML. */
function method({ config }: SweepResult): string {
  const { over, runs } = config
  const law =
    over.field === 'concurrency'
      ? '<p>The Universal Scalability Law is X(N) = γN / (1 + α(N − 1) + βN(N − 1)): γ is the throughput of one caller, α the share of the work that cannot run at once (contention), β the cost of keeping each pair of callers consistent (coherence). It is fitted to every run by least squares, and ± is the standard error. A peak marked * lies beyond the measured callers, so nothing confirms it.</p>'
      : ''
  return `<p>The records were loaded once for each set that the sweep needs. Each of ${runs} ${runs === 1 ? 'run' : 'runs'} then went through all values, and at each value through the stores and loads in turn. Each caller waits for its answer before its next operation. This process shares the machine with what it measures: with many callers it may be the limit itself, which <code>--threads</code> shows.</p>
${law}<p>Rates are of operations that ended within the time of a run. ± is the half-width of the 95 % confidence interval of the mean, by Student’s t over the runs. Percentiles are of all runs together, and are left out where fewer than ten operations lie beyond them. Times of failures are in no figure.</p>`
}

/** The rate of each run at each value, and the times of its operations. */
function rows({ curves, config }: SweepResult): readonly Row[] {
  return curveRows(curves, config.over.field)
}

/** The same of curves over another axis. */
export function curveRows(curves: readonly Curve[], axis: string): readonly Row[] {
  return curves.flatMap(({ store, load, points }) =>
    points.flatMap((point) => {
      const dimensions = { load, [axis]: point.value }
      return [
        ...rowsAt({ store, dimensions }, pointRows(point)),
        ...point.operations.flatMap(({ name, outcome, service, count, errors }) =>
          rowsAt({ store, dimensions: { ...dimensions, operation: name } }, [
            { measure: 'operations', unit: 'count', value: count, outcome: outcome ?? 'success' },
            ...failureRows('operations', errors),
            ...latencyRows('service', service).map((own) => ({ ...own, outcome: outcome ?? 'success' })),
          ]),
        ),
      ]
    }),
  )
}

function pointRows({ rate, latency, errors, runs = [] }: CurvePoint): readonly OwnRow[] {
  const { meanMs, ...others } = latency
  // Means of runs are those of each operation.
  const mean = meanMs.runs.length === 0 ? null : meanMs.mean
  const times = figures('service', 'ms', { mean, ...withoutUnits(others) })
  const besides = runs.flatMap(({ run, ...known }) => callRows(known).map((own) => ({ run, ...own })))
  return [...eachRun('rate', '1/s', rate.runs), ...failureRows('operations', errors), ...times, ...besides]
}
