import { StoreError } from '@unikv/core'
import type { Random } from './random.ts'

/** Fates of a write that is not acknowledged. */
const fates = ['refused', 'applied, then lost', 'lost, then applied', 'lost for ever'] as const

/** A write of unknown outcome that is still to take effect. */
interface Late {
  readonly untilMs: number
  readonly apply: () => void
}

/** Decisions of a schedule about requests. */
export interface ControlledOptions {
  readonly random: Random
  /** Shares of requests that fail, from 0 to 1; one of them holds for the whole schedule. */
  readonly failureShares: readonly number[]
  /** The time, in milliseconds, until which a write whose answer was lost now may take effect. @default for ever */
  readonly doubtUntil?: () => number
}

/**
 * Requests to a store in which everything takes time, and the schedule decides how much: each takes effect at one moment
 * and is answered at a later one, and may fail in between, before, or with an effect that comes long after. The store
 * that a test makes of it decides about the effect, on one key or many.
 */
export class ControlledRequests {
  /** Requests that failed. */
  failures = 0
  readonly #random: Random
  readonly #doubtUntil: () => number
  #failureShare: number
  #underWay: (() => void)[][] = []
  #late: Late[] = []

  constructor({ random, failureShares, doubtUntil = () => Number.POSITIVE_INFINITY }: ControlledOptions) {
    this.#random = random
    this.#doubtUntil = doubtUntil
    this.#failureShare = random.pick(failureShares)
  }

  /** The result of `look` at one moment, or `UNAVAILABLE`. */
  read<T>(look: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const fails = this.#random.chance(this.#failureShare)
      let seen: T
      this.#underWay.push([
        () => {
          seen = look()
        },
        () => (fails ? reject(this.#failed('UNAVAILABLE')) : resolve(seen)),
      ])
    })
  }

  /** The result of `change` at one moment; `UNAVAILABLE`: it was never called; `OUTCOME_UNKNOWN`: it was, or will be, or not. */
  write<T>(change: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const fate = this.#random.chance(this.#failureShare) ? this.#random.pick(fates) : 'acknowledged'
      let result: T
      const apply = (): void => {
        result = change()
      }
      this.#underWay.push([
        () => {
          if (fate === 'acknowledged' || fate === 'applied, then lost') apply()
        },
        () => {
          if (fate === 'acknowledged') return resolve(result)
          if (fate === 'lost, then applied') this.#late.push({ untilMs: this.#doubtUntil(), apply })
          reject(this.#failed(fate === 'refused' ? 'UNAVAILABLE' : 'OUTCOME_UNKNOWN'))
        },
      ])
    })
  }

  /** Whether anything waits for `step`. */
  get busy(): boolean {
    return this.#underWay.length > 0
  }

  /** Whether a write may still take effect although no caller waits for it. */
  get isInDoubt(): boolean {
    return this.#late.length > 0
  }

  /** Let one request, chosen at random, go one step further. */
  step(): void {
    const request = this.#random.pick(this.#underWay)
    request.shift()?.()
    if (request.length === 0) this.#underWay = this.#underWay.filter((one) => one !== request)
  }

  /** Let writes of unknown outcome take effect: one at random, and those that may not come later than `nowMs`. */
  applyLate(nowMs: number = Number.NEGATIVE_INFINITY): void {
    const chosen = this.#late.length > 0 ? this.#random.pick(this.#late) : undefined
    const due = this.#late.filter((late) => late === chosen || late.untilMs <= nowMs)
    this.#late = this.#late.filter((late) => !due.includes(late))
    for (const { apply } of due) apply()
  }

  /** Fail no more. */
  heal(): void {
    this.#failureShare = 0
  }

  #failed(code: 'UNAVAILABLE' | 'OUTCOME_UNKNOWN'): StoreError {
    this.failures++
    return new StoreError(code, 'The schedule says so.')
  }
}
