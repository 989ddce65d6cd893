import { Cell } from '../../cube/cell.ts'
import { eachRun, figures, type OwnRow, type Row, rowsAt } from '../../cube/row.ts'
import { meanOf, median } from '../../statistics/summary.ts'
import type { DeltasConfig } from './config.ts'
import { type UpdatesSample, type WaySample, wayOperations } from './measure-updates.ts'
import { type DeltaCell, type DeltaPoint, type DeltasBody, editsOf, type Planned } from './plan.ts'
import { recommend, type WayCosts } from './recommend.ts'

/** A finished cell and what it measured. */
export interface DeltaRecord {
  readonly cell: DeltaCell
  readonly sample: UpdatesSample
}

/** Put the runs of each cell together. Points without a measured run are left out. */
export function deltasBody(
  { config, points, stores }: Planned & { readonly config: DeltasConfig },
  records: readonly DeltaRecord[],
): DeltasBody {
  const found = stores.flatMap(({ name: store }) =>
    editsOf(config).flatMap((edit) =>
      points.flatMap(({ size }, point) => {
        const samples = records
          .filter(({ cell }) => cell.run > 0 && cell.store === store && cell.point === point)
          .filter(({ cell }) => cell.edit === edit.edit && cell.share === edit.share)
          .map(({ sample }) => sample)
        return samples.length === 0 ? [] : [measuredAt({ store, size, ...edit }, config, samples)]
      }),
    ),
  )
  return { points: found.map(({ point }) => point), rows: found.flatMap(({ rows }) => rows) }
}

type Place = Omit<DeltaPoint, 'recommendation'>

function measuredAt(
  place: Place,
  { use, updates }: DeltasConfig,
  samples: readonly UpdatesSample[],
): { readonly point: DeltaPoint; readonly rows: readonly Row[] } {
  const rows = rowsOf(place, updates, samples)
  const { store: _store, ...own } = place
  const cell = new Cell(rows, {}).at(own)
  const deltaShare = cell.at({ way: 'delta', operation: 'update' }).figure('sent as a delta') ?? 0
  const [plain, delta] = (['plain', 'delta'] as const).map((way) => costsOf(cell.at({ way }))) as [
    WayCosts,
    WayCosts,
  ]
  return { point: { ...place, recommendation: recommend(plain, delta, deltaShare, use) }, rows }
}

/** The figures of a way that the rule needs. */
function costsOf(way: Cell): WayCosts {
  const costs = wayOperations.map((operation) => {
    const cell = way.at({ operation })
    const mean = (measure: string): number => cell.figure(measure, 'mean') ?? 0
    return [
      operation,
      { runsMs: cell.runs('service', 'mean'), bytes: mean('moved'), trips: mean('round trips') },
    ] as const
  })
  return Object.fromEntries(costs) as unknown as WayCosts
}

/** Times and bytes of updates and reads, with whole values and with deltas: means of all updates. */
function rowsOf(
  { store, ...place }: Place,
  updatesOfKey: number,
  samples: readonly UpdatesSample[],
): readonly Row[] {
  const at: RowsAt = (more, own) => rowsAt({ store, dimensions: { ...place, ...more } }, own)
  const updates = sumOf(samples, (sample) => sample.updates)
  const valueBytes = sumOf(samples, (sample) => sample.valueBytes)
  const deltas = sumOf(samples, (sample) => sample.deltas)
  return [
    ...(['plain', 'delta'] as const).flatMap((way) => {
      const own = samples.map((sample) => sample[way])
      return wayRows((more, rows) => at({ way, ...more }, rows), own, { updatesOfKey, updates, valueBytes })
    }),
    ...at({}, [
      { measure: 'value', unit: 'bytes', statistic: 'mean', value: valueBytes / updates },
      { measure: 'updates', unit: 'count', value: updates },
    ]),
    ...at({ way: 'delta', operation: 'update' }, [
      { measure: 'sent as a delta', unit: 'share', value: deltas / updates },
    ]),
  ]
}

type RowsAt = (more: Row['dimensions'], own: readonly OwnRow[]) => readonly Row[]

interface Sums {
  readonly updatesOfKey: number
  /** Updates of all keys in all runs. */
  readonly updates: number
  readonly valueBytes: number
}

function wayRows(
  at: RowsAt,
  samples: readonly WaySample[],
  { updatesOfKey, updates, valueBytes }: Sums,
): readonly Row[] {
  const mean = (
    measure: string,
    unit: OwnRow['unit'],
    of: (way: WaySample) => number,
    count = updates,
  ): OwnRow => ({ measure, unit, statistic: 'mean', value: sumOf(samples, of) / count })
  return [
    ...wayOperations.flatMap((operation) => {
      const runs = samples.map((sample) => sample[operation].timesMs)
      return at({ operation }, [
        ...timeRows(runs, updatesOfKey),
        mean('moved', 'bytes', (way) => way[operation].bytes),
        mean('round trips', 'count', (way) => way[operation].trips),
      ])
    }),
    ...at({ operation: 'update' }, [mean('processor time a byte', 'ns', ({ cpuNs }) => cpuNs, valueBytes)]),
    ...at({}, [mean('stored', 'bytes', ({ storedBytes }) => storedBytes)]),
  ]
}

function sumOf<T>(samples: readonly T[], of: (sample: T) => number): number {
  return samples.reduce((sum, sample) => sum + of(sample), 0)
}

function timeRows(runs: readonly (readonly number[])[], updates: number): readonly OwnRow[] {
  const all = runs.flat().sort((a, b) => a - b)
  return [
    ...eachRun(
      'service',
      'ms',
      runs.map((run) => steadyMean(run, updates)),
      'mean',
    ),
    ...figures('service', 'ms', { p50: percentile(all, 0.5), p99: percentile(all, 0.99) }),
  ]
}

/**
 * The mean over the updates of a key, in which each is the middle one of all keys. A pause in one call of twenty
 * does not move it, and a cost that every key bears does, such as a new base after so many deltas.
 *
 * @param timesMs key after key
 * @param updates of each key
 */
export function steadyMean(timesMs: readonly number[], updates: number): number {
  return meanOf(
    Array.from({ length: updates }, (_, update) =>
      median(timesMs.filter((_ms, index) => index % updates === update)),
    ),
  )
}

/** A percentile of ascending times; one with fewer than ten operations beyond it is an accident. */
function percentile(sorted: readonly number[], share: number): number | null {
  const index = Math.ceil(sorted.length * share) - 1
  return sorted.length - 1 - index >= 10 ? (sorted[index] as number) : null
}
