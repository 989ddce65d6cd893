import { median } from '../../statistics/median.ts'
import type { StudySubject } from '../../study/study.ts'
import type { OverheadConfig } from './config.ts'
import type { OverheadRecord } from './overhead-runner.ts'
import { operations, sidesOf } from './plan.ts'
import type { Added, Middle, NotRun, OverheadBody, OverheadRow, OverheadTrend, SideResult } from './result.ts'
import type { Operation, SideName, SideSample } from './side/messages.ts'
import { trendOf } from './trend.ts'

/** The share of intervals that may miss the median. */
const missShare = 0.05

/** The median of runs and its 95 % interval by the sign test: one bad run does not move it. `null`: too few runs to tell. */
export function middleOf(runs: readonly number[]): Middle {
  const sorted = runs.toSorted((a, b) => a - b)
  const rank = rankOf(sorted.length)
  if (rank < 0) return { median: median(runs), low: null, high: null }
  return {
    median: median(runs),
    low: sorted[rank] as number,
    high: sorted[sorted.length - 1 - rank] as number,
  }
}

/** How many of the lowest and of the highest runs an interval can leave out: each lies below the median like a coin that falls. */
function rankOf(count: number): number {
  let share = 2 ** -count
  let missed = 2 * share
  let rank = -1
  while (missed <= missShare && rank < count) {
    rank++
    share *= (count - rank) / (rank + 1)
    missed += 2 * share
  }
  return rank
}

/** Rows of all operations that all sides have finished, and trends over the volumes. */
export function aggregate(
  { config, stores }: StudySubject<OverheadConfig>,
  records: readonly OverheadRecord[],
): OverheadBody {
  const rows: OverheadRow[] = []
  const trends: OverheadTrend[] = []
  for (const { name: store, url } of stores)
    for (const operation of operations) {
      const sides = sidesOf(config, { url })
      const points = config.volumes.flatMap((volume): Point[] => {
        const runs = runsOf(records, { store, volume, operation }, sides)
        return runs.length === 0 ? [] : [{ volume, runs }]
      })
      rows.push(
        ...points.map(({ volume, runs }) => ({
          store,
          volume,
          operation,
          sides: sides.map((_, i) => sideOf(sides, runs, i)),
        })),
      )
      if (points.length < 3) continue
      for (const [i, side] of sides.slice(1).entries())
        trends.push({ store, operation, side, ...trendOf(differences(points, i + 1)) })
    }
  return { rows: rows.toSorted((a, b) => a.volume - b.volume), trends, notRun: notRun(records) }
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

function sideOf(sides: readonly SideName[], runs: readonly Run[], i: number): SideResult {
  const samples = runs.map((run) => run[i] as SideSample)
  return {
    side: sides[i] as SideName,
    meanMs: median(samples.map(({ meanMs }) => meanMs)),
    p50Ms: median(samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(samples.map(({ p99Ms }) => p99Ms)),
    calls: samples.reduce((sum, { calls }) => sum + calls, 0),
    adds: i === 0 ? null : addedOf(runs, i),
  }
}

function addedOf(runs: readonly Run[], i: number): Added {
  const ms = middleOf(runs.map((run) => addedIn(run, i)))
  const nativeMs = median(runs.map(([native]) => (native as SideSample).p50Ms))
  return { ms, percent: (100 * ms.median) / nativeMs }
}

function addedIn(run: Run, i: number): number {
  return (run[i] as SideSample).p50Ms - (run[0] as SideSample).p50Ms
}
