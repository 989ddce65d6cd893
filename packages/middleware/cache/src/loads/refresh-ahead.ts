import type { RenewalSettings } from './renewal-options.ts'

/** No draw of a random number is worth more load times than this: −ln 2⁻⁵³ is below 37. */
const mostLoadTimes = 37
/** Weight of the latest load in the mean. */
const latest = 1 / 8

/**
 * Whether a hit should renew an entry that is still fresh: XFetch of Vattani, Chierichetti and Lowenstein (VLDB 2015). The
 * longer a load takes and the nearer the end is, the likelier; so of many readers one begins in time, without a word between
 * them.
 */
export class RefreshAhead {
  readonly #beta: number
  readonly #random: () => number
  #meanMs = 0

  constructor(beta: number, random: () => number) {
    this.#beta = beta
    this.#random = random
  }

  /** Note how long a load took. */
  measured(loadMs: number): void {
    if (!(loadMs > 0)) return
    this.#meanMs = this.#meanMs === 0 ? loadMs : this.#meanMs + (loadMs - this.#meanMs) * latest
  }

  /** `loadMs` of the entry; 0 if it was not measured: the mean of this process stands in. */
  isDue(now: number, freshUntil: number, loadMs = 0): boolean {
    return (
      this.isNear(now, freshUntil, loadMs) &&
      now - this.#unitMs(loadMs) * Math.log(1 - this.#random()) >= freshUntil
    )
  }

  /** Whether it could be due. */
  isNear(now: number, freshUntil: number, loadMs = 0): boolean {
    return freshUntil - now <= this.#unitMs(loadMs) * mostLoadTimes
  }

  #unitMs(loadMs: number): number {
    return this.#beta * (loadMs > 0 ? loadMs : this.#meanMs)
  }
}

/** Until when an entry is fresh: as long as is allowed, less a random part of the share `jitter`. */
export function freshEnd(
  askedAt: number,
  freshForMs: number,
  { jitter, random }: Pick<RenewalSettings, 'jitter' | 'random'>,
): number {
  if (jitter === 0 || freshForMs === Number.POSITIVE_INFINITY) return askedAt + freshForMs
  const share = random()
  // Never later than promised, for any random numbers of the application.
  return askedAt + freshForMs * (1 - jitter * (share >= 0 && share <= 1 ? share : 1))
}
