import type { Histogram, HistogramJson } from '@unikv/core/histogram'
import type { KindSample } from '../drive/driver.ts'
import { addedCodes } from '../loop/loop-result.ts'
import type { StoreTarget } from '../run/target.ts'
import { mergedHistogram, percentileMs } from '../statistics/histograms.ts'
import { summarise, sumOf } from '../statistics/summary.ts'
import type {
  Averaged,
  DrivenBody,
  Latency,
  OperationResult,
  ResetResult,
  RunSample,
  TargetResult,
} from './result.ts'
import { type DrivenCell, type RunOfKinds, rateOf } from './runs.ts'
import type { Threshold } from './thresholds/threshold.ts'
import { thresholdResults } from './thresholds/verdicts.ts'

/** A finished cell: how a store was loaded, or what a run measured. */
export interface DrivenRecord {
  readonly cell: DrivenCell
  /** How the store was loaded; `null` but in its first cell. */
  readonly loaded: Pick<TargetResult, 'keyLaw' | 'lengthLaw' | 'isSteady' | 'load'> | null
  readonly sample: RunSample | null
  /** Time for keeping the records (of a load) or for bringing them back (of a run). @default neither was done */
  readonly reset?: { readonly way: ResetResult['way']; readonly elapsedMs: number } | undefined
}

/** The fields of a result of driven stores, out of the finished cells. */
export function drivenBody(
  stores: readonly Pick<StoreTarget, 'name'>[],
  thresholds: readonly Threshold[],
  records: readonly DrivenRecord[],
): DrivenBody {
  const targets = targetResults(stores, records)
  return { targets, thresholds: thresholdResults(thresholds, targets) }
}

/** The results of the stores that have a measured run, each phase apart. */
function targetResults(
  stores: readonly Pick<StoreTarget, 'name'>[],
  records: readonly DrivenRecord[],
): TargetResult[] {
  return stores.flatMap(({ name: store }): TargetResult[] => {
    const own = records.filter(({ cell }) => cell.store === store)
    const loaded = own.find((record) => record.loaded !== null)?.loaded
    if (loaded === null || loaded === undefined) return []
    const measured = own.filter(({ sample }) => sample !== null)
    const reset = resetOf(own)
    return [...new Set(measured.map(({ cell }) => cell.phase))].map((phase) => {
      const runs = measured.flatMap(({ cell, sample }) =>
        cell.phase === phase && sample !== null ? [sample] : [],
      )
      const rate = averaged(runs.map(rateOf))
      return { store, phase, ...loaded, reset, rate, operations: operationsOf(runs), runs }
    })
  })
}

/** How records were kept and brought back; `null` if they were not. */
function resetOf(records: readonly DrivenRecord[]): ResetResult | null {
  const saved = records.find(({ loaded, reset }) => loaded !== null && reset !== undefined)?.reset
  if (saved === undefined) return null
  const restored = records.flatMap(({ loaded, reset }) => (loaded === null ? (reset ?? []) : []))
  const restoreMs = averaged(restored.map(({ elapsedMs }) => elapsedMs))
  return { way: saved.way, saveMs: saved.elapsedMs, restoreMs }
}

/** The operations of one run or more; kinds that never occurred are left out. */
export function operationsOf(runs: readonly RunOfKinds[]): OperationResult[] {
  const [{ kinds }] = runs as [RunOfKinds]
  return kinds.flatMap((kind, index) => {
    const found = operationOf(runs, index)
    return found.count + found.errors === 0 && kind.outcome !== null ? [] : [found]
  })
}

function operationOf(runs: readonly RunOfKinds[], index: number): OperationResult {
  const samples = runs.map(({ kinds }) => kinds[index] as KindSample)
  const [{ name, outcome }] = samples as [KindSample]
  const services = samples.map(({ service }) => service)
  const responses = samples.flatMap(({ response }) => response ?? [])
  const rates = runs.map(({ countedMs }, at) => rateOf({ countedMs, kinds: samples.slice(at, at + 1) }))
  return {
    name,
    outcome,
    count: sumOf(services, ({ count }) => count),
    errors: sumOf(samples, ({ errors }) => errors),
    errorCodes: addedCodes(samples.map(({ errorCodes }) => errorCodes)),
    late: sumOf(samples, ({ late }) => late),
    rate: averaged(rates),
    service: latencyOf(services),
    response: responses.length === 0 ? null : latencyOf(responses),
  }
}

/** A figure of several runs, and how sure its mean is. */
export function averaged(values: readonly number[]): Averaged {
  if (values.length === 0) return { runs: [], mean: 0, halfWidth: null }
  const { mean, halfWidth } = summarise(values)
  return { runs: values, mean, halfWidth }
}

/** Percentiles of the merged runs: percentiles of several runs must not be averaged. */
export function latencyOf(runs: readonly HistogramJson[]): Latency {
  const whole = mergedHistogram(runs) as Histogram
  const at = (percent: number): number | null => percentileMs(whole, percent)
  return {
    meanMs: averaged(runs.filter(({ count }) => count > 0).map(({ sum, count }) => sum / count / 1e6)),
    minMs: whole.count === 0 ? 0 : whole.min / 1e6,
    maxMs: whole.count === 0 ? 0 : whole.max / 1e6,
    p50Ms: at(50),
    p90Ms: at(90),
    p95Ms: at(95),
    p99Ms: at(99),
    p999Ms: at(99.9),
    p9999Ms: at(99.99),
  }
}
