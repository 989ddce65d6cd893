import type { DriveSample, KindSample } from '../../drive/driver.ts'
import type { Latency } from '../../driven/result.ts'
import { rateOf } from '../../driven/runs.ts'
import { averaged, latencyOf } from '../../driven/target-results.ts'
import type { StoreTarget } from '../../run/target.ts'
import { compared } from '../../statistics/compare/comparison.ts'
import type { ConsistencyConfig } from './config.ts'
import type { ConsistencyRecord } from './consistency-runner.ts'
import { pairText } from './levels.ts'
import { conditionsOf, pairsOf } from './plan.ts'
import type { LevelCost, LevelRate } from './result.ts'

interface RunOf {
  readonly run: number
  readonly drive: Omit<DriveSample, 'series'>
}

/** Throughput and latency of every pair, with every number of callers. */
export function ratesOf(
  config: ConsistencyConfig,
  stores: readonly StoreTarget[],
  records: readonly ConsistencyRecord[],
): LevelRate[] {
  return stores.flatMap((target) =>
    conditionsOf(config).flatMap((condition) =>
      config.callers.flatMap((callers) =>
        pairsOf(config, target).flatMap((levels): LevelRate[] => {
          const place = { store: target.name, condition, pair: pairText(levels) }
          const runs = runsAt(records, { ...place, callers })
          return runs.length === 0 ? [] : [rateAt(place, callers, runs)]
        }),
      ),
    ),
  )
}

function runsAt(
  records: readonly ConsistencyRecord[],
  { store, condition, pair, callers }: Pick<LevelRate, 'store' | 'condition' | 'pair' | 'callers'>,
): readonly RunOf[] {
  return records.flatMap(({ cell, sample }): RunOf[] => {
    if (sample?.kind !== 'throughput' || cell.work.kind !== 'throughput') return []
    const isThere =
      cell.store === store &&
      cell.condition === condition &&
      cell.work.callers === callers &&
      pairText(cell.pair) === pair
    return isThere ? [{ run: cell.run, drive: sample.drive }] : []
  })
}

function rateAt(
  place: Pick<LevelRate, 'store' | 'condition' | 'pair'>,
  callers: number,
  runs: readonly RunOf[],
): LevelRate {
  const samples = runs.map(({ drive }) => drive)
  // A disturbance is meant to make operations fail.
  const isExpected = (reason: string): boolean =>
    place.condition === 'disturbed' && reason === 'too-many-errors'
  return {
    ...place,
    callers,
    rate: averaged(samples.map(rateOf)),
    read: timesOf(samples, 'read'),
    write: timesOf(samples, 'update'),
    count: samples.reduce((sum, { operations, errors }) => sum + operations - errors, 0),
    errors: samples.reduce((sum, { errors }) => sum + errors, 0),
    firstError: samples.find(({ firstError }) => firstError !== null)?.firstError ?? null,
    invalid: runs.flatMap(({ run, drive }) =>
      drive.invalid.flatMap(({ reason, message }) => (isExpected(reason) ? [] : [`run ${run}: ${message}`])),
    ),
  }
}

function timesOf(samples: readonly Pick<DriveSample, 'kinds'>[], name: KindSample['name']): Latency | null {
  const times = samples.flatMap(({ kinds }) =>
    kinds.filter((kind) => kind.name === name && kind.outcome === null).map(({ service }) => service),
  )
  return times.length === 0 ? null : latencyOf(times)
}

/** The first pair of each store beside its other ones. */
export function costsOf(rates: readonly LevelRate[]): LevelCost[] {
  return rates.flatMap((other) => {
    const first = rates.find(
      (one) =>
        one.store === other.store && one.condition === other.condition && one.callers === other.callers,
    ) as LevelRate
    return first === other ? [] : costOf(first, other)
  })
}

function costOf(first: LevelRate, other: LevelRate): LevelCost[] {
  const count = Math.min(first.rate.runs.length, other.rate.runs.length)
  const [a, b] = [other, first].map(({ rate }) => rate.runs.slice(0, count)) as [number[], number[]]
  if ([...a, ...b].some((rate) => rate === 0)) return []
  const { ratio, ratioInterval, verdict } = compared(a, b, { better: 'higher', inTurn: true })
  const cost = (of: number): number => 100 * (1 - of)
  return [
    {
      store: first.store,
      condition: first.condition,
      callers: first.callers,
      pair: first.pair,
      other: other.pair,
      costPercent: cost(ratio),
      interval: ratioInterval === null ? null : [cost(ratioInterval[1]), cost(ratioInterval[0])],
      verdict,
    },
  ]
}
