import {
  type Awaitable,
  areAtHand,
  type CallOptions,
  isStoreError,
  type Read,
  type ReadResult,
} from '@unikv/core'
import { derive, leftMs } from '@unikv/core/adapter'
import { AbortController, Silence, type Told, unwatch, watch } from '@unikv/core/platform'
import { Budget } from './budget.ts'
import type { ResilienceSettings } from './options.ts'
import { beaten } from './verdicts.ts'

type Results<V> = readonly ReadResult<V>[]
type Reads<V> = Awaitable<Results<V>>
type Ask<V> = (reads: readonly Read[], call: CallOptions) => Reads<V>

/** How a second read goes out. */
export interface Again<V> {
  /** Whether it would go out now: what it waited for might be the end of the first one. */
  readonly mayAsk: () => boolean
  readonly ask: Ask<V>
  /** Told when it goes out. */
  readonly asked: () => void
}

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

  /** Read, and perhaps read a second time. */
  read<V>(reads: readonly Read[], call: CallOptions, ask: Ask<V>, again: Again<V>): Reads<V> {
    this.#budget.earn()
    const afterMs = this.#afterMs
    const startedAt = this.#now()
    const first = afterMs === undefined ? undefined : new OneOfTwo(call)
    const answer = asked(() => ask(reads, first?.own ?? call), first)
    if (areAtHand(answer)) return answer
    answer.then(
      () => this.#note(this.#now() - startedAt),
      () => {},
    )
    if (afterMs === undefined || first === undefined) return answer
    return new Race<V>(answer, first, afterMs, () => {
      if (call.settled === true || !again.mayAsk() || !this.#budget.spend()) return undefined
      this.sent++
      again.asked()
      const second = new OneOfTwo(call)
      const won = (): void => void this.won++
      return { one: second, won, answer: (async () => again.ask(reads, second.own))() }
    }).results
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

/** Ask; a request that is answered at once, or fails, needs no signal any more. */
function asked<V>(ask: () => Reads<V>, one: OneOfTwo | undefined): Reads<V> {
  let answer: Reads<V> | undefined
  try {
    answer = ask()
    return answer
  } finally {
    if (answer === undefined || areAtHand(answer)) one?.leave()
  }
}

/** A second read that has gone out. */
interface Second<V> {
  readonly one: OneOfTwo
  readonly answer: Promise<Results<V>>
  /** Told when results of it count. */
  readonly won: () => void
}

/**
 * Two reads of the same: the first good answer wins. Results of an answer that has errors, too, are kept until the other
 * one has come, or half of the time that is left is over: what was read is not lost for what was not.
 */
class Race<V> {
  readonly results: Promise<Results<V>>
  declare resolve: (results: Results<V>) => void
  declare reject: (error: unknown) => void
  readonly #first: OneOfTwo
  #second: Second<V> | undefined
  #kept: Results<V> | undefined
  /** Whether results of the second one are among those that count. */
  #secondCounts = false
  #silence: Silence
  #waitsFor = 1

  constructor(
    answer: Promise<Results<V>>,
    first: OneOfTwo,
    afterMs: number,
    ask: () => Second<V> | undefined,
  ) {
    this.#first = first
    this.results = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    this.#silence = new Silence(afterMs, () => this.#askAgain(ask))
    this.#follow(answer, first)
  }

  #askAgain(ask: () => Second<V> | undefined): void {
    this.#second = ask()
    if (this.#second === undefined) return
    this.#waitsFor++
    this.#follow(this.#second.answer, this.#second.one)
  }

  #follow(answer: Promise<Results<V>>, one: OneOfTwo): void {
    const over = (): void => {
      this.#waitsFor--
      one.leave()
    }
    answer.then(
      (results) => {
        over()
        this.#answered(results, one)
      },
      (error: unknown) => {
        over()
        this.#failed(error)
      },
    )
  }

  #answered(results: Results<V>, from: OneOfTwo): void {
    const kept = this.#kept
    const best = kept?.map((one, i) => (isStoreError(one) ? results[i] : one)) ?? results
    // Absent is an answer, too.
    const isNew = (i: number): boolean => kept === undefined || isStoreError(kept[i])
    if (from === this.#second?.one && results.some((one, i) => !isStoreError(one) && isNew(i)))
      this.#secondCounts = true
    const isWanted = this.#waitsFor > 0 && this.#first.isAwaited
    if (isWanted && best.some(isStoreError)) return this.#keep(best)
    this.#end(best)
  }

  #failed(error: unknown): void {
    if (this.#waitsFor > 0) return
    if (this.#kept !== undefined) return this.#end(this.#kept)
    this.#silence.end()
    this.reject(error)
  }

  #keep(results: Results<V>): void {
    this.#kept = results
    this.#silence.end()
    this.#silence = new Silence(leftMs(this.#first.own) / 2, () => this.#end(results)).unref()
  }

  #end(results: Results<V>): void {
    this.#silence.end()
    this.resolve(results)
    if (this.#secondCounts) this.#second?.won()
    this.#first.stop()
    this.#second?.one.stop()
  }
}

/** One of two reads: ends with the call, or when the other one has won. */
class OneOfTwo implements Told {
  /** The call of this read. */
  readonly own: CallOptions
  readonly #call: CallOptions
  readonly #stop = new AbortController()
  #isOver = false

  constructor(call: CallOptions) {
    this.#call = call
    this.own = derive(call, { signal: this.#stop.signal, sent: 'own' })
    // `AbortSignal.any` would stay with a signal of the application for as long as that lives.
    if (call.signal?.aborted === true) this.handleEvent()
    else watch(call.signal, this)
  }

  /** Whether the caller still waits. */
  get isAwaited(): boolean {
    return this.#call.settled !== true
  }

  /** The signal of the call was aborted. */
  handleEvent(): void {
    this.#stop.abort(this.#call.signal?.reason)
  }

  /** It has ended, and needs no signal any more. */
  leave(): void {
    this.#isOver = true
    unwatch(this.#call.signal, this)
  }

  /** The answer came from elsewhere. */
  stop(): void {
    if (this.#isOver) return
    this.leave()
    this.#stop.abort(beaten)
  }
}
