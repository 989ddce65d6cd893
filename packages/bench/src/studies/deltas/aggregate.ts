import { median } from '../../statistics/median.ts'
import { summarise } from '../../statistics/summary.ts'
import type { DeltasConfig } from './config.ts'
import type { UpdatesSample, WaySample } from './measure-updates.ts'
import { type DeltaCell, editsOf } from './plan.ts'
import { recommend, type WayCosts } from './recommend.ts'
import type { DeltaPoint, Timed, Way } from './result.ts'

/** A finished cell and what it measured. */
export interface DeltaRecord {
  readonly cell: DeltaCell
  readonly sample: UpdatesSample
}

/** Put the runs of each cell together. Points without a measured run are left out. */
export function deltaPoints(
  config: DeltasConfig,
  sizes: readonly number[],
  stores: readonly string[],
  records: readonly DeltaRecord[],
): DeltaPoint[] {
  return stores.flatMap((store) =>
    editsOf(config).flatMap(({ edit, share }) =>
      sizes.flatMap((size, point) => {
        const samples = records
          .filter(({ cell }) => cell.run > 0 && cell.store === store && cell.point === point)
          .filter(({ cell }) => cell.edit === edit && cell.share === share)
          .map(({ sample }) => sample)
        return samples.length === 0 ? [] : [{ store, size, edit, share, ...together(config, samples) }]
      }),
    ),
  )
}

function together(
  { use, updates: updatesOfKey }: DeltasConfig,
  samples: readonly UpdatesSample[],
): Omit<DeltaPoint, 'store' | 'size' | 'edit' | 'share'> {
  const updates = sum(samples.map((sample) => sample.updates))
  const valueBytes = sum(samples.map((sample) => sample.valueBytes))
  const deltaShare = sum(samples.map(({ deltas }) => deltas)) / updates
  const [plain, delta] = (['plain', 'delta'] as const).map((way) =>
    wayOf(
      samples.map((sample) => sample[way]),
      { updatesOfKey, updates, valueBytes },
    ),
  ) as [Way, Way]
  const recommendation = recommend(costsOf(plain), costsOf(delta), deltaShare, use)
  return { valueBytes: valueBytes / updates, updates, deltaShare, plain, delta, recommendation }
}

interface Sums {
  readonly updatesOfKey: number
  /** Of all keys in all runs. */
  readonly updates: number
  readonly valueBytes: number
}

function wayOf(samples: readonly WaySample[], { updatesOfKey, updates, valueBytes }: Sums): Way {
  const timed = (name: 'update' | 'read' | 'knownRead'): Timed =>
    timedOf(
      samples.map((sample) => sample[name]),
      updatesOfKey,
    )
  const mean = (name: Exclude<keyof WaySample, 'update' | 'read' | 'knownRead'>): number =>
    sum(samples.map((sample) => sample[name])) / updates
  return {
    update: timed('update'),
    read: timed('read'),
    knownRead: timed('knownRead'),
    cpuNsPerByte: sum(samples.map(({ cpuNs }) => cpuNs)) / valueBytes,
    sentBytes: mean('sentBytes'),
    storedBytes: mean('storedBytes'),
    readBytes: mean('readBytes'),
    knownReadBytes: mean('knownReadBytes'),
    updateTrips: mean('updateTrips'),
    readTrips: mean('readTrips'),
    knownReadTrips: mean('knownReadTrips'),
  }
}

/** What the rule needs of a way. */
function costsOf(way: Way): WayCosts {
  const { update, read, knownRead } = way
  return { ...way, updateMs: update.runsMs, readMs: read.runsMs, knownReadMs: knownRead.runsMs }
}

function timedOf(runs: readonly (readonly number[])[], updates: number): Timed {
  const { mean, halfWidth, runs: runsMs } = summarise(runs.map((run) => steadyMean(run, updates)))
  const all = runs.flat().sort((a, b) => a - b)
  return {
    runsMs,
    meanMs: mean,
    halfWidthMs: halfWidth,
    p50Ms: percentile(all, 0.5),
    p99Ms: percentile(all, 0.99),
  }
}

/**
 * The mean over the updates of a key, in which each is the middle one of all keys. What comes between one call in twenty
 * does not move it, and what every key has to bear does, such as a new base after so many deltas.
 *
 * @param timesMs key after key
 * @param updates of each key
 */
export function steadyMean(timesMs: readonly number[], updates: number): number {
  const middles = Array.from({ length: updates }, (_, update) =>
    median(timesMs.filter((_ms, index) => index % updates === update)),
  )
  return sum(middles) / updates
}

/** Of ascending times; one with fewer than ten operations beyond it is an accident. */
function percentile(sorted: readonly number[], share: number): number | null {
  const index = Math.ceil(sorted.length * share) - 1
  return sorted.length - 1 - index >= 10 ? (sorted[index] as number) : null
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
