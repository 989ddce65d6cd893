import {
  type Awaitable,
  areAtHand,
  type CallOptions,
  isStoreError,
  type Read,
  type ReadResult,
} from '@unikv/core'
import { AbortController, AbortSignal, clearTimeout, setTimeout } from '@unikv/core/platform'
import { Budget } from './budget.ts'
import type { ResilienceSettings } from './options.ts'

type Reads<V> = Awaitable<readonly ReadResult<V>[]>
type Ask<V> = (reads: readonly Read[], call: CallOptions) => Reads<V>

/** Reads that are looked at for the usual time. */
const sampleSize = 128
/** No second read before so many are known. */
const fewest = 16

/**
 * A second read beside one that takes longer than usual; the first good answer wins, and the other read is told to
 * stop (Dean and Barroso, The Tail at Scale, 2013). Both ask for the same consistency inside the same call.
 */
export class Hedges {
  readonly #settings: NonNullable<ResilienceSettings['hedge']>
  readonly #now: () => number
  readonly #budget: Budget
  readonly #samples = new Float64Array(sampleSize)
  #seen = 0
  #p95 = Number.POSITIVE_INFINITY
  sent = 0
  won = 0

  constructor(settings: NonNullable<ResilienceSettings['hedge']>, now: () => number) {
    this.#settings = settings
    this.#now = now
    this.#budget = new Budget(settings.budget, 1)
  }

  /** Read, and perhaps read a second time. `again` is how the second one goes out. */
  read<V>(
    reads: readonly Read[],
    call: CallOptions,
    ask: Ask<V>,
    again: Ask<V>,
    hedged: () => void,
  ): Reads<V> {
    this.#budget.earn()
    const startedAt = this.#now()
    const first = new OneOfTwo(call)
    const answer = ask(reads, first)
    if (areAtHand(answer)) return answer
    answer.then(
      () => this.#note(this.#now() - startedAt),
      () => {},
    )
    const afterMs = this.#afterMs
    if (afterMs === undefined) return answer
    return new Promise((resolve, reject) => {
      const second = new OneOfTwo(call)
      let waitsFor = 1
      const won = (results: readonly ReadResult<V>[], loser: OneOfTwo): void => {
        clearTimeout(timer)
        resolve(results)
        loser.stop()
      }
      const settle = (results: readonly ReadResult<V>[], loser: OneOfTwo): void => {
        waitsFor--
        if (waitsFor > 0 && results.some(isStoreError)) return
        if (loser === first) this.won++
        won(results, loser)
      }
      const fail = (error: Error): void => {
        waitsFor--
        if (waitsFor > 0) return
        clearTimeout(timer)
        reject(error)
      }
      const timer = setTimeout(() => {
        if (call.settled === true || !this.#budget.spend()) return
        this.sent++
        waitsFor++
        hedged()
        Promise.resolve()
          .then(() => again(reads, second))
          .then((results) => settle(results, first), fail)
      }, afterMs)
      answer.then((results) => settle(results, second), fail)
    })
  }

  get #afterMs(): number | undefined {
    const { afterMs } = this.#settings
    if (afterMs !== 'p95') return afterMs
    return this.#seen < fewest ? undefined : this.#p95
  }

  #note(ms: number): void {
    this.#samples[this.#seen % sampleSize] = ms
    this.#seen++
    if (this.#seen % fewest !== 0) return
    const known = this.#samples.slice(0, Math.min(this.#seen, sampleSize)).sort()
    this.#p95 = known[Math.floor(known.length * 0.95)] as number
  }
}

/** The call of one of two reads: ends with the call, or when the other one has won. */
class OneOfTwo implements CallOptions {
  readonly consistency: string | undefined
  readonly signal: AbortSignal
  readonly #call: CallOptions
  readonly #lost = new AbortController()

  constructor(call: CallOptions) {
    this.consistency = call.consistency
    this.signal =
      call.signal === undefined ? this.#lost.signal : AbortSignal.any([call.signal, this.#lost.signal])
    this.#call = call
  }

  get deadlineAt(): number {
    return this.#call.deadlineAt
  }

  get whole(): boolean {
    return this.#call.whole === true
  }

  get settled(): boolean {
    return this.#call.settled === true
  }

  stop(): void {
    this.#lost.abort()
  }
}
