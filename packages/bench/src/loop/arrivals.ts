import type { Random } from '../random/random.ts'

/** The schedule of an open loop. The store never shifts it. */
export interface Arrivals {
  /** Mean rate that it stands for, in operations a second. */
  readonly rate: number
  /** Mean rate from the start to a time, where it changes. @default `rate` at any time */
  meanUntil?(ms: number): number
  /** Milliseconds from the start of the loop to the next intended start; never falling. */
  next(): number
}

/** The part of the arrivals that one of several generators makes. */
export interface ArrivalShare {
  /** Counted from 0. */
  readonly index: number
  readonly of: number
}

/**
 * Operations at even distances. Any rate above 0, also below one a second. Several generators take turns, so that together
 * they make the arrivals of one, at exactly the same times.
 */
export function constantRate(rate: number, { index, of }: ArrivalShare = { index: 0, of: 1 }): Arrivals {
  checkRate(rate)
  let number = index - of
  return { rate: rate / of, next: () => ((number += of) * 1_000) / rate }
}

/** Operations of many independent users: exponential gaps. */
export function poissonRate(rate: number, random: Random): Arrivals {
  checkRate(rate)
  let at = 0
  return {
    rate,
    next: () => {
      at -= (Math.log1p(-random.next()) * 1_000) / rate
      return at
    },
  }
}

function checkRate(rate: number): void {
  if (!(rate > 0 && Number.isFinite(rate)))
    throw new RangeError('A rate must be a number of operations a second above 0.')
}

/** A part of a schedule in which the rate changes evenly. */
export interface RateStage {
  /** Operations a second at its beginning, and at its end. */
  readonly from: number
  readonly to: number
  readonly ms: number
}

/**
 * Operations at a rate that changes: the one with number i is due when the integral of the rate is i. After the last
 * stage its rate holds. Several generators take turns, so that together they make the arrivals of one.
 *
 * @param random gaps as of many independent users, in the place of even ones
 */
export function stagedRate(
  stages: readonly RateStage[],
  { index, of }: ArrivalShare = { index: 0, of: 1 },
  random?: Random,
): Arrivals {
  checkStages(stages)
  const timeOf = inverse(stages)
  const meanUntil = (ms: number): number => (ms === 0 ? 0 : (arrivalsUntil(stages, ms) / of / ms) * 1_000)
  let count = random === undefined ? index : 0
  return {
    rate: meanUntil(lengthOf(stages)),
    meanUntil,
    next: () => {
      if (random !== undefined) return timeOf((count -= Math.log1p(-random.next()) * of))
      const time = timeOf(count)
      count += of
      return time
    },
  }
}

/** Arrivals from the start to a time: the integral of the rate. */
export function arrivalsUntil(stages: readonly RateStage[], untilMs: number): number {
  let [count, startMs] = [0, 0]
  for (const { from, to, ms } of stages) {
    if (untilMs <= startMs) return count
    const inMs = Math.min(ms, untilMs - startMs)
    const reached = ms === 0 ? to : from + ((to - from) * inMs) / ms
    count += (((from + reached) / 2) * inMs) / 1_000
    startMs += ms
  }
  return count + (Math.max(0, untilMs - startMs) * (stages.at(-1)?.to ?? 0)) / 1_000
}

/** Milliseconds of all stages. */
export function lengthOf(stages: readonly RateStage[]): number {
  return stages.reduce((sum, { ms }) => sum + ms, 0)
}

/** The share by which a count may be off. */
const rounding = 1e-12

/** When the integral reaches a count; counts must not fall from call to call. `Infinity`: never. */
function inverse(stages: readonly RateStage[]): (count: number) => number {
  let [index, before, startMs] = [0, 0, 0]
  return (count) => {
    for (let stage = stages[index]; stage !== undefined; stage = stages[index]) {
      const { from, to, ms } = stage
      const inStage = (((from + to) / 2) * ms) / 1_000
      // Sums of fractions are a little off: an arrival at the very end of a stage is the first one of the next stage.
      if (count - before < inStage - rounding * (count + 1)) return startMs + timeIn(stage, count - before)
      before += inStage
      startMs += ms
      index += 1
    }
    const last = stages.at(-1)?.to ?? 0
    return last === 0 ? Infinity : startMs + ((count - before) * 1_000) / last
  }
}

/** Milliseconds within a stage until so many arrivals: the root of a quadratic equation, in the form that loses no digits. */
function timeIn({ from, to, ms }: RateStage, count: number): number {
  const slope = (to - from) / ms
  const divisor = from + Math.sqrt(Math.max(0, from * from + 2_000 * slope * count))
  return divisor === 0 ? 0 : (2_000 * count) / divisor
}

function checkStages(stages: readonly RateStage[]): void {
  const isGood = (rate: number): boolean => rate >= 0 && Number.isFinite(rate)
  if (!stages.every(({ from, to, ms }) => isGood(from) && isGood(to) && isGood(ms)))
    throw new RangeError('Rates and lengths of stages must be numbers of 0 or more.')
  if (!stages.some(({ from, to }) => from > 0 || to > 0))
    throw new RangeError('A schedule needs a stage with a rate above 0.')
}
