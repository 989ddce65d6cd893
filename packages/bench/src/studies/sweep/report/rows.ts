import { eachRun, figures, type OwnRow, type Row, rowsAt, withoutUnits } from '../../../cube/row.ts'
import { callRows, latencyRows } from '../../../driven/rows.ts'
import type { Curve, CurvePoint, SweepResult } from '../result.ts'

/** The rate of each run at each value, and the times of its operations. */
export function rows({ curves, config }: SweepResult): readonly Row[] {
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
            ...(errors === 0 ? [] : [failed(errors)]),
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
  return [
    ...eachRun('rate', '1/s', rate.runs),
    ...(errors === 0 ? [] : [failed(errors)]),
    ...times,
    ...besides,
  ]
}

/** Failures of all kinds: their codes were not kept. */
function failed(value: number): OwnRow {
  return { measure: 'operations', unit: 'count', value, outcome: 'failure' }
}
