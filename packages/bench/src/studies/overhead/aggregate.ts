import { figures, type OwnRow, type Row, rowsAt } from '../../cube/row.ts'
import { median } from '../../statistics/summary.ts'
import type { StudySubject } from '../../study/study.ts'
import type { NotRun, OverheadBody, OverheadConfig, OverheadTrend } from './config.ts'
import type { OverheadRecord } from './overhead-runner.ts'
import { measuredOn } from './plan.ts'
import type { Operation, SideName, SideSample } from './side/messages.ts'
import { middleOf, trendOf } from './trend.ts'

/** Rows of all operations that all sides have finished, and trends over the volumes. */
export function aggregate(
  { config, stores }: StudySubject<OverheadConfig>,
  records: readonly OverheadRecord[],
): OverheadBody {
  const rows: Row[] = []
  const trends: OverheadTrend[] = []
  for (const { name: store, url } of stores)
    for (const { operation, sides } of measuredOn(config, { url })) {
      const points = config.volumes.flatMap((volume): Point[] => {
        const runs = runsOf(records, { store, volume, operation }, sides)
        return runs.length === 0 ? [] : [{ volume, runs }]
      })
      for (const { volume, runs } of points)
        for (const [i, side] of sides.entries())
          rows.push(...rowsAt({ store, dimensions: { operation, records: volume, side } }, sideRows(runs, i)))
      if (points.length < 3) continue
      for (const [i, side] of sides.slice(1).entries())
        trends.push({ store, operation, side, ...trendOf(differences(points, i + 1)) })
    }
  return { rows, trends, notRun: notRun(records) }
}

function notRun(records: readonly OverheadRecord[]): readonly NotRun[] {
  return records.flatMap(({ cell: { store, volume }, tooLong }) =>
    tooLong === undefined ? [] : [{ store, volume, ...tooLong }],
  )
}

/** The samples of a run by all sides, in their order. */
type Run = readonly SideSample[]

interface Point {
  readonly volume: number
  readonly runs: readonly Run[]
}

interface Place {
  readonly store: string
  readonly volume: number
  readonly operation: Operation
}

/** The measured runs that all sides have finished. */
function runsOf(
  records: readonly OverheadRecord[],
  { store, volume, operation }: Place,
  sides: readonly SideName[],
): readonly Run[] {
  const own = records.filter(
    ({ cell, sample }) =>
      cell.store === store &&
      cell.volume === volume &&
      cell.run > 0 &&
      cell.measured?.operation === operation &&
      sample !== null,
  )
  const last = Math.max(0, ...own.map(({ cell }) => cell.run))
  const runs = Array.from({ length: last }, (_, i) =>
    sides.flatMap(
      (side) => own.find(({ cell }) => cell.run === i + 1 && cell.measured?.side === side)?.sample ?? [],
    ),
  )
  return runs.filter((run) => run.length === sides.length)
}

/** The cost of the side at `i` in each run, with the volume. */
function differences(
  points: readonly Point[],
  i: number,
): readonly (readonly [volume: number, ms: number])[] {
  return points.flatMap(({ volume, runs }) => runs.map((run) => [volume, addedIn(run, i)] as const))
}

/** The medians of the figures of the runs; of a side beside the native client also what it adds, run by run. */
function sideRows(runs: readonly Run[], i: number): readonly OwnRow[] {
  const samples = runs.map((run) => run[i] as SideSample)
  const middle = (name: 'meanMs' | 'p50Ms' | 'p99Ms'): number => median(samples.map((one) => one[name]))
  const calls = samples.reduce((sum, one) => sum + one.calls, 0)
  return [
    { measure: 'operations', unit: 'count', value: calls },
    ...figures('service', 'ms', { mean: middle('meanMs'), p50: middle('p50Ms'), p99: middle('p99Ms') }),
    ...(i === 0 ? [] : addedRows(runs, i)),
  ]
}

function addedRows(runs: readonly Run[], i: number): readonly OwnRow[] {
  const added = middleOf(runs.map((run) => addedIn(run, i)))
  const nativeMs = median(runs.map(([native]) => (native as SideSample).p50Ms))
  return [
    ...figures('added', 'ms', { ...added }),
    ...figures('added share', 'share', { median: added.median / nativeMs }),
  ]
}

function addedIn(run: Run, i: number): number {
  return (run[i] as SideSample).p50Ms - (run[0] as SideSample).p50Ms
}
