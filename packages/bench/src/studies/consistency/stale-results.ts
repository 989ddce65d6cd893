import { type Histogram, histogramOf } from '@unikv/core/histogram'
import type { StoreTarget } from '../../run/target.ts'
import { shareInterval } from '../../statistics/summary.ts'
import type { ConsistencyConfig } from './config.ts'
import { readersOf } from './connections.ts'
import type { ConsistencyRecord } from './consistency-runner.ts'
import { pairText } from './levels.ts'
import { conditionsOf, pairsOf } from './plan.ts'
import type { CountedShare, Quantile, ReaderResult, SeenByAll, StaleResult } from './result.ts'
import type { ReaderSample, StaleSample } from './stale/tally.ts'

interface RunOf {
  readonly run: number
  readonly stale: StaleSample
}

/** The reads that followed writes, for every pair. */
export function staleResults(
  config: ConsistencyConfig,
  stores: readonly StoreTarget[],
  records: readonly ConsistencyRecord[],
): StaleResult[] {
  return stores.flatMap((target) =>
    conditionsOf(config).flatMap((condition) =>
      pairsOf(config, target).flatMap((levels): StaleResult[] => {
        const place = { store: target.name, condition, pair: pairText(levels) }
        const runs = records.flatMap(({ cell, sample }): RunOf[] => {
          const isThere =
            sample?.kind === 'stale' &&
            cell.store === place.store &&
            cell.condition === condition &&
            pairText(cell.pair) === place.pair
          return isThere ? [{ run: cell.run, stale: sample.stale }] : []
        })
        return runs.length === 0
          ? []
          : [
              {
                ...place,
                ...staleAt(
                  config,
                  readersOf(target).map(({ name }) => name),
                  runs,
                ),
              },
            ]
      }),
    ),
  )
}

function staleAt(
  config: ConsistencyConfig,
  readers: readonly string[],
  runs: readonly RunOf[],
): Omit<StaleResult, 'store' | 'condition' | 'pair'> {
  const samples = runs.map(({ stale }) => stale)
  return {
    writes: sum(samples, ({ writes }) => writes),
    writeErrors: sum(samples, ({ writeErrors }) => writeErrors),
    firstError: samples.find(({ firstError }) => firstError !== null)?.firstError ?? null,
    readers: readers.map((name, index) =>
      readerResult(
        name,
        config.delaysMs,
        samples.flatMap((sample) => sample.readers[index] ?? []),
      ),
    ),
    seen: seenByAll(samples, config.horizonMs),
    invalid: runs.flatMap(({ run, stale }) => stale.invalid.map((message) => `run ${run}: ${message}`)),
  }
}

function readerResult(
  name: string,
  delaysMs: readonly number[],
  samples: readonly ReaderSample[],
): ReaderResult {
  const saw = sum(samples, (one) => one.saw)
  return {
    name,
    points: delaysMs.flatMap((delayMs, place) => {
      const reads = sum(samples, ({ points }) => points[place]?.reads ?? 0)
      if (reads === 0) return []
      const stale = sum(samples, ({ points }) => points[place]?.stale ?? 0)
      const atMs = sum(samples, ({ points }) => points[place]?.sumMs ?? 0) / reads
      return [{ delayMs, atMs, ...counted(stale, reads) }]
    }),
    errors: sum(samples, ({ errors }) => errors),
    wentBack:
      saw === 0
        ? null
        : counted(
            sum(samples, (one) => one.wentBack),
            saw,
          ),
  }
}

function counted(found: number, of: number): CountedShare {
  return { found, of, ...shareInterval(found, of) }
}

function seenByAll(samples: readonly StaleSample[], horizonMs: number): SeenByAll {
  const [first, ...others] = samples.map(({ seenLater }) => histogramOf(seenLater)) as [Histogram]
  for (const other of others as Histogram[]) first.merge(other)
  const counts = {
    atOnce: sum(samples, ({ seenAtOnce }) => seenAtOnce),
    unseen: sum(samples, ({ unseen }) => unseen),
    unknown: sum(samples, ({ unknown }) => unknown),
  }
  const total = counts.atOnce + first.count + counts.unseen
  const at = (percent: number): Quantile | null => quantileAt(percent, first, { ...counts, total, horizonMs })
  return { median: at(50), p95: at(95), p99: at(99), max: at(100), ...counts }
}

/** `null` of fewer than ten writes beyond it, but for the maximum. */
function quantileAt(
  percent: number,
  later: Histogram,
  { atOnce, unseen, total, horizonMs }: { atOnce: number; unseen: number; total: number; horizonMs: number },
): Quantile | null {
  const needed = percent === 100 ? 1 : 10 / (1 - percent / 100)
  if (total < needed - 1e-6) return null
  const rank = Math.max(1, Math.ceil((percent / 100) * total - 1e-9))
  if (rank > total - unseen) return { ms: horizonMs, isCensored: true }
  if (rank <= atOnce) return { ms: 0, isCensored: false }
  return { ms: later.percentile((100 * (rank - atOnce)) / later.count) / 1e6, isCensored: false }
}

function sum<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((total, one) => total + of(one), 0)
}
