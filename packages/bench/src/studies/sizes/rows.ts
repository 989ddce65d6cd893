import { Histogram } from '@unikv/core/histogram'
import { statisticOf } from '../../cube/cell.ts'
import { eachRun, figures, type OwnRow, type Row, rowsAt } from '../../cube/row.ts'
import type { PointInfo } from './config.ts'
import type { CacheSample } from './measure/measure-cache.ts'
import type { CodecSample } from './measure/measure-codec.ts'
import type { LatencySample } from './measure/measure-latency.ts'
import { type PhaseSample, phaseHistogram } from './measure/phase.ts'
import { type Cell, type CodecCell, cellName, type Planned } from './plan.ts'

interface SampleOf {
  readonly latency: LatencySample
  readonly cache: CacheSample
  readonly encryption: CodecSample
  readonly compression: CodecSample
}

/** A finished cell and what it measured. */
export interface CellRecord {
  readonly cell: Cell
  readonly sample: SampleOf[Cell['kind']]
  /** The setup of the measurement. */
  readonly point: PointInfo
}

/** Times of operations by size: of stores, through caches, and of encodings. Points without a measured run are left out. */
export function rowsOf(
  { config, points, stores, caches }: Planned,
  records: readonly CellRecord[],
): readonly Row[] {
  const runsAt = runsBy(records)
  const modes = config.parallel === 1 ? (['sequential'] as const) : (['sequential', 'parallel'] as const)
  return [
    ...modes.flatMap((mode) =>
      (['read', 'write', 'delete'] as const).flatMap((operation) =>
        stores.flatMap(({ name: store }) =>
          points.flatMap(({ size }, point) => {
            const inFlight = mode === 'sequential' ? 1 : config.parallel
            const runs = runsAt({ kind: 'latency', run: 0, point, store })
            const times = timeRows(runs, (sample) => (sample[mode] ?? sample.sequential)[operation])
            return rowsAt({ store, dimensions: { operation, mode, inFlight, size } }, times)
          }),
        ),
      ),
    ),
    ...stores.flatMap(({ name: store }) =>
      caches.flatMap(({ name: cache }) =>
        points.flatMap(({ size }, point) =>
          cacheRows({ store, cache, size }, runsAt({ kind: 'cache', run: 0, point, store, cache })),
        ),
      ),
    ),
    ...(['encryption', 'compression'] as const).flatMap((kind) =>
      config[kind].flatMap((algorithm) =>
        points.flatMap(({ size }, point) =>
          codecRows({ algorithm, size }, runsAt({ kind, run: 0, point, algorithm } as CodecCell)),
        ),
      ),
    ),
  ]
}

/** One run of one cell; run 0 is the warm-up. */
interface Run<S> {
  readonly run: number
  readonly sample: S
}

/** All runs of a cell, the warm-up among them; none without a measured one. */
function runsBy(
  records: readonly CellRecord[],
): <K extends Cell['kind']>(cell: Cell & { readonly kind: K }) => readonly Run<SampleOf[K]>[] {
  const found = new Map<string, Run<never>[]>()
  for (const { cell, sample } of records) {
    const runs = found.get(cellName(cell)) ?? []
    found.set(cellName(cell), [...runs, { run: cell.run, sample: sample as never }])
  }
  return (cell) => {
    const runs = found.get(cellName(cell)) ?? []
    return runs.some(({ run }) => run > 0) ? runs : []
  }
}

function cacheRows(
  { store, ...place }: { readonly store: string; readonly cache: string; readonly size: number },
  runs: readonly Run<CacheSample>[],
): readonly Row[] {
  const dimensions = { operation: 'read', ...place }
  const ways = { hit: 'hit', miss: 'miss', store: 'without cache' } as const
  return [
    ...(['hit', 'miss', 'store'] as const).flatMap((part) =>
      rowsAt(
        { store, dimensions: { ...dimensions, way: ways[part] } },
        timeRows(runs, (one) => one[part]),
      ),
    ),
    ...(runs[0]?.sample.measured ?? []).flatMap(({ hitRate, hits, sample }, index) =>
      rowsAt({ store, dimensions: { ...dimensions, hitRate } }, [
        ...timeRows(runs, ({ measured }) => measured[index]?.sample ?? sample),
        { measure: 'hits', unit: 'share', value: hits / sample.operations },
      ]),
    ),
  ]
}

/** Encodings are measured over a store that costs nothing. */
function codecRows(place: Row['dimensions'], runs: readonly Run<CodecSample>[]): readonly Row[] {
  if (runs.length === 0) return []
  const measured = runs.filter(({ run }) => run > 0).map(({ sample }) => sample)
  const sum = (of: 'originalBytes' | 'encodedBytes'): number =>
    measured.reduce((total, one) => total + one[of], 0)
  const ratio: OwnRow = {
    measure: 'ratio',
    unit: 'times',
    value: sum('originalBytes') / sum('encodedBytes'),
  }
  return (['encode', 'decode'] as const).flatMap((operation) =>
    rowsAt({ store: 'none', dimensions: { operation, ...place } }, [
      ...timeRows(runs, (sample) => sample[operation]),
      ...(operation === 'encode' ? [ratio] : []),
    ]),
  )
}

/** Mean and median of each run; the rest is of all their operations together. */
function timeRows<S>(all: readonly Run<S>[], phaseOf: (sample: S) => PhaseSample): readonly OwnRow[] {
  const phases = all.filter(({ run }) => run > 0).map(({ sample }) => phaseOf(sample))
  if (phases.length === 0) return []
  const times = new Histogram(phaseHistogram)
  for (const one of phases) times.merge(one.histogram)
  const seconds = phases.reduce((sum, one) => sum + one.operations / one.rate, 0)
  const warmUps = all.filter(({ run }) => run === 0).map(({ sample }) => phaseOf(sample).meanMs)
  const means = phases.map(({ meanMs }) => meanMs)
  const medians = phases.map(({ histogram }) => histogram.percentile(50) / 1e6)
  return [
    ...eachRun('service', 'ms', means, 'mean'),
    ...eachRun('service', 'ms', medians, 'p50'),
    { measure: 'rate', unit: '1/s', value: times.count / seconds },
    ...figures('service', 'ms', {
      p50: times.percentile(50) / 1e6,
      p95: statisticOf(times, 'p95'),
      p99: statisticOf(times, 'p99'),
      max: statisticOf(times, 'max'),
    }),
    { measure: 'service', unit: 'count', statistic: 'count', value: times.count },
    // Fewer than planned in a phase that ended early.
    { measure: 'objects', unit: 'count', value: Math.min(...phases.map(({ distinct }) => distinct)) },
    ...figures('warm-up', 'ms', { mean: warmUps[0] ?? null }),
  ]
}

/** Distinct objects of each series of calls to stores at a size. */
export function objectsAt(rows: readonly Row[], size: number, operation?: string): readonly number[] {
  return rows.flatMap(({ measure, dimensions, value }) =>
    measure === 'objects' &&
    dimensions['mode'] !== undefined &&
    dimensions['size'] === size &&
    dimensions['operation'] === (operation ?? dimensions['operation'])
      ? [Number(value)]
      : [],
  )
}
