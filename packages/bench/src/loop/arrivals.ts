import type { Random } from '../random/random.ts'

/** The schedule of an open loop. It never shifts, whatever the store does. */
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
