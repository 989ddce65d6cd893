import type { Version } from '@unikv/core'
import { performance } from '@unikv/core/platform'

/** Most keys that are remembered one by one. */
const maxKeys = 10_000
/** Most records that are known to be right while all others are in doubt. */
const maxSure = 100_000
/** A wall clock that lags by more was set back. */
const stepMs = 250

/** The clocks of a cache. */
export interface Clocks {
  readonly clock: () => number
  readonly monotonicClock: () => number
  readonly freshForMs: number
  readonly staleWhileRevalidateMs: number
  readonly staleIfErrorMs: number
}

/**
 * Keys whose records could not be invalidated. They are not read again until that is known to be done. If there are too many,
 * or the wall clock was set back, so that old records look fresh again, then all records are in doubt for as long as any of
 * them could be an answer, fresh or stale: all but those that this process has put in place since.
 */
export class UnconfirmedKeys {
  readonly #keys = new Set<string>()
  readonly #sure = new Map<string, Version>()
  readonly #clocks: Clocks
  #doubtUntil = Number.NEGATIVE_INFINITY
  #wall = Number.NaN
  #monotonic = Number.NaN

  constructor(clocks: Clocks) {
    this.#clocks = clocks
  }

  /** Look at the clocks. */
  look(): void {
    const wall = this.#clocks.clock()
    const monotonic = this.#clocks.monotonicClock()
    const lagMs = monotonic - this.#monotonic - (wall - this.#wall)
    // A clock that stands still is one of a test.
    if (lagMs > stepMs && wall !== this.#wall) this.#doubt(lagMs)
    this.#wall = wall
    this.#monotonic = monotonic
  }

  /** Whether this record may be an answer. */
  trusts(key: string, version: Version | null | undefined): boolean {
    if (this.#keys.has(key)) return false
    return !this.#isDoubting || this.#sure.get(key) === version
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  add(key: string): void {
    if (this.#keys.size >= maxKeys) {
      this.#keys.clear()
      this.#doubt()
    }
    this.#keys.add(key)
    this.#sure.delete(key)
  }

  /** Nothing old lies there any more. */
  delete(key: string): void {
    this.#keys.delete(key)
  }

  /** This process has put this record in place. */
  filled(key: string, version: Version | undefined): void {
    this.#keys.delete(key)
    if (version === undefined || !this.#isDoubting) return
    this.#sure.delete(key)
    this.#sure.set(key, version)
    if (this.#sure.size > maxSure) this.#sure.delete(this.#sure.keys().next().value as string)
  }

  /** Trust nothing but what this process puts in place from now on. */
  doubtAll(): void {
    this.#doubt()
  }

  get #isDoubting(): boolean {
    return this.#doubtUntil > performance.now()
  }

  #doubt(lagMs = 0): void {
    this.#sure.clear()
    const { freshForMs, staleWhileRevalidateMs, staleIfErrorMs } = this.#clocks
    const forMs = lagMs + freshForMs + Math.max(staleWhileRevalidateMs, staleIfErrorMs)
    this.#doubtUntil = Math.max(this.#doubtUntil, performance.now() + forMs)
  }
}
