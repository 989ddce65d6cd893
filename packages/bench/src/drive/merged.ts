import { addedKind, addedTimes, coarser, type IntervalSample, intervalMs } from '../loop/interval-sample.ts'
import { addedCodes } from '../loop/loop-result.ts'
import { type Invalidity, verdict } from '../loop/verdict.ts'
import type { CheckCounts } from '../operations/read-checks.ts'
import { sharesOf } from '../run/machine.ts'
import { sumOf } from '../statistics/summary.ts'
import type { DriveProgram } from './crew.ts'
import type { DriveSample, KindSample, ScheduleSample } from './driver.ts'

/** A sample and the driver that took it, such as `thread 2`. */
export interface NamedSample {
  readonly name: string
  readonly sample: DriveSample
}

/**
 * One run of several drivers that began together: counts and histograms are added, and nothing is averaged.
 *
 * @param program the program of the drivers, which adds its own figures
 */
export function mergedSample(
  parts: readonly NamedSample[],
  program?: Pick<DriveProgram, 'merged'>,
): DriveSample {
  const samples = parts.map(({ sample }) => sample)
  const operations = sumOf(samples, (sample) => sample.operations)
  const errors = sumOf(samples, (sample) => sample.errors)
  const checks = mergedChecks(samples.flatMap((sample) => sample.checks ?? []))
  return {
    elapsedMs: Math.max(...samples.map(({ elapsedMs }) => elapsedMs)),
    countedMs: Math.max(...samples.map(({ countedMs }) => countedMs)),
    operations,
    errors,
    firstError: samples.find(({ firstError }) => firstError !== null)?.firstError ?? null,
    kinds: aligned(samples.map(({ kinds }) => kinds)).map(mergedKind),
    series: mergedSeries(samples.map(({ series }) => series)),
    schedule: mergedSchedule(samples.flatMap(({ schedule }) => schedule ?? [])),
    checks,
    invalid: [...invalidParts(parts), ...invalidWhole(operations, errors - (checks?.wrong ?? 0))],
    ...(samples.some(({ calls }) => calls === undefined)
      ? {}
      : { calls: sumOf(samples, ({ calls = 0 }) => calls) }),
    ...machineOf(samples),
    ...connectionsOf(samples),
    ...(program === undefined ? {} : { own: program.merged(samples.map(({ own }) => own)) }),
  }
}

function connectionsOf(samples: readonly DriveSample[]): Pick<DriveSample, 'connections'> {
  if (samples.some(({ connections }) => connections === undefined)) return {}
  const counts = new Map<string | null, number>()
  for (const { node, count } of samples.flatMap(({ connections }) => connections ?? []))
    counts.set(node, (counts.get(node) ?? 0) + count)
  return { connections: [...counts].map(([node, count]) => ({ node, count })) }
}

/** Drivers on several machines: the time that one of them lost, and the machine that was kept busiest by others. */
function machineOf(samples: readonly DriveSample[]): Pick<DriveSample, 'lostMs' | 'machine'> {
  const lost = samples.flatMap(({ lostMs }) => lostMs ?? [])
  const machines = samples.flatMap(({ machine }) => machine ?? [])
  const [busiest] = machines.toSorted((one, other) => sharesOf(other).others - sharesOf(one).others)
  return {
    ...(lost.length === 0 ? {} : { lostMs: Math.max(...lost) }),
    ...(busiest === undefined ? {} : { machine: busiest }),
  }
}

/** A driver of a long run may have kept longer intervals than the others. */
function mergedSeries(parts: readonly (readonly IntervalSample[])[]): readonly IntervalSample[] {
  const lengthMs = Math.max(...parts.map(intervalMs))
  const alike = lengthMs === 0 ? parts : parts.map((series) => coarser(series, lengthMs))
  return aligned(alike).map(mergedInterval)
}

/** The same second of several drivers. */
function mergedInterval(parts: readonly IntervalSample[]): IntervalSample {
  const [{ atMs }] = parts as [IntervalSample]
  return {
    atMs,
    lengthMs: Math.max(...parts.map(({ lengthMs }) => lengthMs)),
    kinds: aligned(parts.map(({ kinds }) => kinds)).map(addedKind),
  }
}

function mergedKind(parts: readonly KindSample[]): KindSample {
  const [{ name, outcome, response }] = parts as [KindSample]
  const failed = parts.flatMap((part) => part.failed ?? [])
  return {
    name,
    outcome,
    errors: sumOf(parts, ({ errors }) => errors),
    errorCodes: addedCodes(parts.map(({ errorCodes }) => errorCodes)),
    late: sumOf(parts, ({ late }) => late),
    ...(failed.length === 0 ? {} : { failed: addedTimes(failed) }),
    service: addedTimes(parts.map(({ service }) => service)),
    response: response === null ? null : addedTimes(parts.flatMap((part) => part.response ?? [])),
  }
}

function mergedChecks(parts: readonly CheckCounts[]): CheckCounts | null {
  if (parts.length === 0) return null
  return { checked: sumOf(parts, ({ checked }) => checked), wrong: sumOf(parts, ({ wrong }) => wrong) }
}

function mergedSchedule(parts: readonly ScheduleSample[]): ScheduleSample | null {
  if (parts.length === 0) return null
  return {
    targetRate: sumOf(parts, ({ targetRate }) => targetRate),
    arrivals: sumOf(parts, ({ arrivals }) => arrivals),
    dropped: sumOf(parts, ({ dropped }) => dropped),
    queued: sumOf(parts, ({ queued }) => queued),
    lag: addedTimes(parts.map(({ lag }) => lag)),
  }
}

/** A driver that was late or missed its rate spoils the whole run; failures count over all parts together. */
function invalidParts(parts: readonly NamedSample[]): readonly Invalidity[] {
  return parts.flatMap(({ name, sample }) =>
    sample.invalid
      .filter(({ reason }) => reason !== 'too-many-errors')
      .map(({ reason, message }) => ({ reason, message: `${name}: ${message}` })),
  )
}

function invalidWhole(operations: number, errors: number): readonly Invalidity[] {
  const nothing = { elapsedMs: 0, countedMs: 0, rate: 0, clockJumpMs: 0, lostMs: 0, aborted: false }
  return verdict({ loop: 'closed', kinds: [], firstError: undefined, operations, errors, ...nothing }).filter(
    ({ reason }) => reason === 'too-many-errors',
  )
}

/** The first ones of all lists, then the second ones, and so on; a list may be shorter. */
function aligned<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  const length = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1)))
}

/** Tells of an interval when it is over in every driver of several. */
export class IntervalMerger {
  /** Intervals of each driver that are not over in all of them. */
  readonly #series: Map<number, IntervalSample[]>
  readonly #onInterval: ((interval: IntervalSample) => void) | undefined

  constructor(drivers: number, onInterval: ((interval: IntervalSample) => void) | undefined) {
    this.#series = new Map(Array.from({ length: drivers }, (_, index) => [index, []]))
    this.#onInterval = onInterval
  }

  /** The next interval of a driver is over. */
  add(driver: number, interval: IntervalSample): void {
    this.#series.get(driver)?.push(interval)
    this.#tell()
  }

  /** Do not wait for this driver any more. */
  leaveOut(driver: number): void {
    this.#series.delete(driver)
    this.#tell()
  }

  #tell(): void {
    const all = [...this.#series.values()]
    while (all.length > 0 && all.every((series) => series.length > 0)) {
      const parts = all.map((series) => series.shift() as IntervalSample)
      this.#onInterval?.(mergedInterval(parts))
    }
  }
}
