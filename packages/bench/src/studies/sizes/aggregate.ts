import { Histogram } from '@unikv/core/histogram'
import { logLogSlope, summarise } from '../../statistics/summary.ts'
import type { SizesConfig } from './config.ts'
import { breakEvenHitRate, fullLatency, paperLatency } from './hit-rate.ts'
import type { CacheSample, MeasuredHitRate } from './measure/measure-cache.ts'
import type { CodecSample } from './measure/measure-codec.ts'
import type { LatencySample, OperationSamples } from './measure/measure-latency.ts'
import { type PhaseSample, phaseHistogram } from './measure/phase.ts'
import type { CacheCell, CompressionCell, EncryptionCell, LatencyCell } from './plan.ts'
import type {
  CachePoint,
  CacheSeries,
  CodecPoint,
  CodecSeries,
  DrivenLatency,
  LatencySeries,
  Measured,
  PointInfo,
} from './result.ts'

/** A finished cell and what it measured. */
export type CellRecord = Sampled & {
  /** The setup of the measurement. */
  readonly point: PointInfo
}

type Sampled =
  | { readonly cell: LatencyCell; readonly sample: LatencySample }
  | { readonly cell: CacheCell; readonly sample: CacheSample }
  | { readonly cell: EncryptionCell | CompressionCell; readonly sample: CodecSample }

/** The subject of the records. */
export interface AggregateInput {
  readonly config: Pick<SizesConfig, 'hitRates' | 'parallel' | 'encryption' | 'compression'>
  /** Place of each point on the size axis. */
  readonly sizes: readonly number[]
  readonly stores: readonly string[]
  readonly caches: readonly string[]
  readonly records: readonly CellRecord[]
}

/** Series of a result. Points without a measured run are left out, never shown as zero. */
export interface Series {
  readonly latency: readonly LatencySeries[]
  readonly cache: readonly CacheSeries[]
  readonly encryption: readonly CodecSeries[]
  readonly compression: readonly CodecSeries[]
}

/** Put the runs of each cell together. */
export function aggregate(input: AggregateInput): Series {
  return {
    latency: latencySeries(input),
    cache: cacheSeries(input),
    encryption: input.config.encryption.map((algorithm) => codecSeries(input, 'encryption', algorithm)),
    compression: input.config.compression.map((algorithm) => codecSeries(input, 'compression', algorithm)),
  }
}

function latencySeries({ config, sizes, stores, records }: AggregateInput): LatencySeries[] {
  const samples = records.filter((record) => record.cell.kind === 'latency') as Extract<
    CellRecord,
    { cell: LatencyCell }
  >[]
  const modes = config.parallel === 1 ? (['sequential'] as const) : (['sequential', 'parallel'] as const)
  return modes.flatMap((mode) =>
    (['read', 'write', 'delete'] as const).flatMap((operation) =>
      stores.map((store) => ({
        store,
        operation,
        mode,
        inFlight: mode === 'sequential' ? 1 : config.parallel,
        points: atEachSize(
          sizes,
          samples.filter(({ cell }) => cell.store === store),
          (runs, size) => {
            const phaseOf = (sample: LatencySample): PhaseSample =>
              (sample[mode] as OperationSamples)[operation]
            return { size, ...measuredOf(runs, phaseOf) }
          },
        ),
      })),
    ),
  )
}

function cacheSeries({ config, sizes, stores, caches, records }: AggregateInput): CacheSeries[] {
  const samples = records.filter((record) => record.cell.kind === 'cache') as Extract<
    CellRecord,
    { cell: CacheCell }
  >[]
  return stores.flatMap((store) =>
    caches.map((cache) => {
      const own = samples.filter(({ cell }) => cell.store === store && cell.cache === cache)
      const points = atEachSize(sizes, own, (runs, size) => cachePoint(config.hitRates, runs, size))
      const slope = logLogSlope(points.map((point) => [point.size, point.hit.p50Ms]))
      return { store, cache, points, hitSlope: Number.isFinite(slope) ? slope : null }
    }),
  )
}

function cachePoint(
  hitRates: readonly number[],
  runs: readonly Run<CacheSample>[],
  size: number,
): CachePoint {
  const [store, hit, miss] = (['store', 'hit', 'miss'] as const).map((part) =>
    measuredOf(runs, (sample) => sample[part]),
  )
  const parts = { store: store as Measured, hit: hit as Measured, miss: miss as Measured }
  // Medians, as everywhere in the report: a pause of the machine weighs little on them.
  const costs = { storeMs: parts.store.p50Ms, hitMs: parts.hit.p50Ms, missMs: parts.miss.p50Ms }
  const breakEven = breakEvenHitRate(costs)
  return {
    size,
    ...parts,
    paper: hitRates.map((hitRate) => ({ hitRate, ms: paperLatency(hitRate, costs) })),
    full: hitRates.map((hitRate) => ({ hitRate, ms: fullLatency(hitRate, costs) })),
    breakEvenHitRate: breakEven <= 1 ? breakEven : null,
    measured: drivenOf(runs),
  }
}

function drivenOf(runs: readonly Run<CacheSample>[]): DrivenLatency[] {
  const asked = runs[0]?.sample.measured ?? []
  return asked.map(({ hitRate, hits, sample }, index) => ({
    hitRate,
    hits,
    reads: sample.operations,
    ...measuredOf(runs, (cell) => (cell.measured[index] as MeasuredHitRate).sample),
  }))
}

function codecSeries(
  { sizes, records }: AggregateInput,
  kind: 'encryption' | 'compression',
  algorithm: string,
): CodecSeries {
  const own = records.filter(({ cell }) => cell.kind === kind && cell.algorithm === algorithm) as {
    readonly cell: EncryptionCell | CompressionCell
    readonly sample: CodecSample
  }[]
  return { algorithm, points: atEachSize(sizes, own, codecPoint) }
}

function codecPoint(runs: readonly Run<CodecSample>[], size: number): CodecPoint {
  const original = runs.reduce((sum, { sample }) => sum + sample.originalBytes, 0)
  const encoded = runs.reduce((sum, { sample }) => sum + sample.encodedBytes, 0)
  return {
    size,
    encode: measuredOf(runs, (sample) => sample.encode),
    decode: measuredOf(runs, (sample) => sample.decode),
    ratio: original / encoded,
  }
}

/** One run of one cell; run 0 is the warm-up. */
interface Run<S> {
  readonly run: number
  readonly sample: S
}

function atEachSize<S, P>(
  sizes: readonly number[],
  records: readonly { readonly cell: { readonly run: number; readonly point: number }; readonly sample: S }[],
  pointOf: (runs: readonly Run<S>[], size: number) => P,
): P[] {
  return sizes.flatMap((size, point) => {
    const runs = records
      .filter(({ cell }) => cell.point === point)
      .map(({ cell, sample }) => ({ run: cell.run, sample }))
    return runs.some(({ run }) => run > 0) ? [pointOf(runs, size)] : []
  })
}

/** Two runs have an interval that is twelve deviations wide: it says nothing, so there is none. */
const LEAST_RUNS = 3

function measuredOf<S>(all: readonly Run<S>[], phaseOf: (sample: S) => PhaseSample): Measured {
  const warmUp = all.find(({ run }) => run === 0)
  const phases = all.filter(({ run }) => run > 0).map(({ sample }) => phaseOf(sample))
  const { runs, mean, deviation, halfWidth } = summarise(phases.map((one) => one.meanMs))
  const histogram = new Histogram(phaseHistogram)
  for (const one of phases) histogram.merge(one.histogram)
  const seconds = phases.reduce((sum, one) => sum + one.operations / one.rate, 0)
  return {
    runsMs: runs,
    runMediansMs: phases.map((one) => one.histogram.percentile(50) / 1e6),
    meanMs: mean,
    deviationMs: deviation,
    halfWidthMs: runs.length < LEAST_RUNS ? null : halfWidth,
    warmUpMs: warmUp === undefined ? null : phaseOf(warmUp.sample).meanMs,
    objects: Math.min(...phases.map(({ distinct }) => distinct)),
    operations: histogram.count,
    operationsPerSecond: histogram.count / seconds,
    p50Ms: histogram.percentile(50) / 1e6,
    p95Ms: percentileMs(histogram, 95),
    p99Ms: percentileMs(histogram, 99),
    maxMs: histogram.max / 1e6,
  }
}

/** A percentile with fewer than ten operations beyond it is an accident. */
function percentileMs(histogram: Histogram, percent: number): number | null {
  return histogram.count * (1 - percent / 100) >= 10 - 1e-9 ? histogram.percentile(percent) / 1e6 : null
}
