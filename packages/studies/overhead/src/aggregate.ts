import type { StudySubject } from '@unikv/workload'
import { median } from '@unikv/workload/statistics'
import type { OverheadConfig } from './config.ts'
import { middleOf } from './middle.ts'
import type { OverheadRecord } from './overhead-runner.ts'
import { operations, sides } from './plan.ts'
import type { OverheadBody, OverheadRow, SideResult } from './result.ts'
import type { Operation, SideName, SideSample } from './side/messages.ts'
import { trendOf } from './trend.ts'

/** Rows of all operations that both sides have finished, and trends over the volumes. */
export function aggregate(
  { config, stores }: StudySubject<OverheadConfig>,
  records: readonly OverheadRecord[],
): OverheadBody {
  const rows: OverheadRow[] = []
  const trends: OverheadBody['trends'][number][] = []
  for (const { name: store } of stores)
    for (const operation of operations) {
      const points = config.volumes.flatMap((volume) => {
        const pairs = pairsOf(records, { store, volume, operation })
        return pairs.length === 0 ? [] : [{ volume, pairs }]
      })
      rows.push(...points.map(({ volume, pairs }) => rowOf({ store, volume, operation }, pairs)))
      const found = points.flatMap(({ volume, pairs }) =>
        pairs.map(([native, unikv]) => [volume, unikv.p50Ms - native.p50Ms] as const),
      )
      if (points.length >= 3) trends.push({ store, operation, ...trendOf(found) })
    }
  return { rows: rows.toSorted((a, b) => a.volume - b.volume), trends }
}

type Pair = readonly [native: SideSample, unikv: SideSample]

interface Place {
  readonly store: string
  readonly volume: number
  readonly operation: Operation
}

/** The samples of both sides in each measured run. */
function pairsOf(records: readonly OverheadRecord[], { store, volume, operation }: Place): readonly Pair[] {
  const of = (side: SideName, run: number): SideSample | null | undefined =>
    records.find(
      ({ cell }) =>
        cell.store === store &&
        cell.volume === volume &&
        cell.run === run &&
        cell.measured?.operation === operation &&
        cell.measured.side === side,
    )?.sample
  const last = Math.max(0, ...records.map(({ cell }) => cell.run))
  return Array.from({ length: last }, (_, i) => [of('native', i + 1), of('unikv', i + 1)] as const).filter(
    (pair): pair is Pair => pair.every((sample) => sample !== null && sample !== undefined),
  )
}

function rowOf(place: Place, pairs: readonly Pair[]): OverheadRow {
  const of = (side: SideName, i: number): SideResult =>
    sideOf(
      side,
      pairs.map((pair) => pair[i] as SideSample),
    )
  const results = sides.map(of)
  const overheadMs = middleOf(pairs.map(([native, unikv]) => unikv.p50Ms - native.p50Ms))
  const [native] = results as [SideResult]
  return { ...place, sides: results, overheadMs, overheadPercent: (100 * overheadMs.median) / native.p50Ms }
}

function sideOf(side: SideName, samples: readonly SideSample[]): SideResult {
  return {
    side,
    meanMs: median(samples.map(({ meanMs }) => meanMs)),
    p50Ms: median(samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(samples.map(({ p99Ms }) => p99Ms)),
    calls: samples.reduce((sum, { calls }) => sum + calls, 0),
  }
}
