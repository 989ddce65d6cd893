import { type Awaitable, isPromise } from '@unikv/core'
import { checkFactoryOptions, checkMs, checkOneOf, type OptionNames, ownSignal } from '@unikv/core/adapter'
import { Histogram, type HistogramOptions } from '@unikv/core/histogram'
import type { Arrivals } from './arrivals.ts'
import { checkCounts } from './check-count.ts'
import { type LoopClock, spinningClock } from './clock.ts'
import {
  countedTime,
  countFailure,
  emptyKinds,
  type KindResult,
  type LoopResult,
  rateOf,
} from './loop-result.ts'
import { checkedKind, type LoopObserver, nextKind, type Operations } from './operations.ts'

/** When an open loop ends, and what it does when the store falls behind. */
export interface OpenLoopOptions {
  readonly arrivals: Arrivals
  /** Arrivals in all. @default Infinity */
  readonly operations?: number | undefined
  /** Arrivals intended at this time or later do not happen. @default Infinity */
  readonly durationMs?: number | undefined
  /** Most operations in flight. @default 1024 */
  readonly maxInFlight?: number | undefined
  /**
   * The treatment of an arrival beyond `maxInFlight`: `drop` counts it and forgets it; `queue` starts it late, and
   * its response time holds the wait.
   * @default 'drop'
   */
  readonly whenFull?: 'drop' | 'queue' | undefined
  readonly signal?: AbortSignal | undefined
  /** `spinningClock` in a worker thread, or `timerClock`. @default spinningClock */
  readonly clock?: LoopClock | undefined
  /** How times are counted. */
  readonly histogram?: HistogramOptions | undefined
  readonly observer?: LoopObserver | undefined
}

/** Late arrivals are started in bursts of so many; then what is in flight may end. */
const BURST = 64
/** The wait for an arrival is cut into parts of so many milliseconds, so that an abort is noticed. */
const LONGEST_WAIT_MS = 100

const optionNames: OptionNames<OpenLoopOptions> = {
  arrivals: true,
  operations: true,
  durationMs: true,
  maxInFlight: true,
  whenFull: true,
  signal: true,
  clock: true,
  histogram: true,
  observer: true,
}

/**
 * Run operations at the times of a schedule, whether or not earlier ones have ended, as independent users do.
 * Response times count from the intended start; the schedule never waits for the store.
 *
 * @throws {RangeError} if nothing limits the loop, if a number of operations is not a whole one, or if `pick` returns an
 * index without a kind; the last one only when every operation has ended
 */
export async function openLoop(work: Operations, options: OpenLoopOptions): Promise<LoopResult> {
  checkFactoryOptions('openLoop', options, optionNames)
  checkMs({ durationMs: options.durationMs }, { least: 0 })
  checkCounts({ maxInFlight: options.maxInFlight }, { least: 1, infinite: true })
  checkCounts({ operations: options.operations }, { least: 0, infinite: true })
  checkOneOf('whenFull', options.whenFull, ['drop', 'queue'])
  if (work.ready !== undefined)
    throw new RangeError(
      'An open loop follows its schedule, and cannot wait for operations to be ready. Use closedLoop.',
    )
  const { operations = Infinity, durationMs = Infinity, signal } = options
  if (operations === Infinity && durationMs === Infinity && signal === undefined) {
    throw new RangeError('An open loop needs a number of operations, a duration or a signal.')
  }
  const run = new OpenRun(work, options)
  try {
    await run.schedule(operations)
  } finally {
    await run.drained()
  }
  return run.result()
}

class OpenRun {
  readonly #work: Operations
  readonly #options: OpenLoopOptions
  readonly #clock: LoopClock
  readonly #maxInFlight: number
  readonly #durationMs: number
  readonly #kinds: KindResult[]
  readonly #lag = new Histogram()
  readonly #wallStart: number
  readonly #startedAt: number
  #arrivals = 0
  #started = 0
  #ended = 0
  #dropped = 0
  #queued = 0
  /** Until then the schedule waited for an operation in flight to end. */
  #heldUntil: number
  #errors = 0
  #lastEnd: number
  #firstError: unknown
  #aborted = false
  #onEnd: (() => void) | undefined
  /** Until then the schedule was followed; `Infinity` if it has no further arrival. */
  #scheduledMs = 0

  constructor(work: Operations, options: OpenLoopOptions) {
    this.#work = work
    this.#options = { ...options, signal: ownSignal(options.signal) }
    this.#clock = options.clock ?? spinningClock
    this.#maxInFlight = options.maxInFlight ?? 1_024
    this.#durationMs = options.durationMs ?? Infinity
    this.#kinds = emptyKinds(work.kinds, 'open', options.histogram)
    this.#wallStart = this.#clock.wallNow()
    this.#startedAt = this.#clock.now()
    this.#lastEnd = this.#startedAt
    this.#heldUntil = this.#startedAt
  }

  /** Start what arrives until then. */
  async schedule(operations: number): Promise<void> {
    const { arrivals } = this.#options
    let offset = arrivals.next()
    this.#scheduledMs = offset
    for (let burst = 1; this.#arrivals < operations && offset < this.#durationMs; burst++) {
      const intended = this.#startedAt + offset
      if (burst > BURST) {
        await this.#clock.wait(Infinity)
        burst = 1
      }
      if (this.#clock.now() < intended) {
        await this.#waitUntil(intended)
        burst = 1
      }
      if (this.#isAborted()) return
      if (this.#inFlight < this.#maxInFlight) this.#start(intended)
      else if (this.#options.whenFull === 'queue') await this.#startLate(intended)
      else this.#drop()
      offset = arrivals.next()
      this.#scheduledMs = offset
    }
  }

  /** Wait for what is in flight. */
  async drained(): Promise<void> {
    while (this.#inFlight > 0) await this.#nextEnd()
  }

  async #waitUntil(intended: number): Promise<void> {
    for (let now = this.#clock.now(); now < intended && !this.#isAborted(); now = this.#clock.now())
      await this.#clock.wait(Math.min(intended, now + LONGEST_WAIT_MS))
  }

  #isAborted(): boolean {
    this.#aborted ||= this.#options.signal?.aborted === true
    return this.#aborted
  }

  get #inFlight(): number {
    return this.#started - this.#ended
  }

  async #startLate(intended: number): Promise<void> {
    while (this.#inFlight >= this.#maxInFlight) await this.#nextEnd()
    if (this.#isAborted()) return
    this.#heldUntil = this.#clock.now()
    this.#start(intended)
  }

  #drop(): void {
    this.#arrivals++
    this.#dropped++
  }

  #nextEnd(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEnd = resolve
    })
  }

  #start(intended: number): void {
    const sequence = this.#started
    const kind = nextKind(this.#work, sequence)
    this.#arrivals++
    this.#started++
    const start = this.#clock.now()
    // what arrives while an earlier one is held back waits for the store, not for the generator
    if (intended < this.#heldUntil) this.#queued++
    else this.#lag.record((start - intended) * 1e6)
    let answer: Awaitable<unknown>
    try {
      answer = this.#work.start(kind, sequence)
    } catch (error) {
      this.#fail(kind, error, start)
      return
    }
    if (!isPromise(answer)) this.#answered(kind, sequence, answer, intended, start)
    // a promise of another library may call back twice
    else
      Promise.resolve(answer).then(
        (found) => this.#answered(kind, sequence, found, intended, start),
        (error: unknown) => this.#fail(kind, error, start),
      )
  }

  #answered(kind: number, sequence: number, answer: unknown, intended: number, start: number): void {
    const end = this.#clock.now()
    let counted = kind
    try {
      counted = checkedKind(this.#work, kind, sequence, answer)
    } catch (error) {
      this.#fail(kind, error, start)
      return
    }
    const [serviceNs, responseNs] = [(end - start) * 1e6, (end - intended) * 1e6]
    const result = this.#kinds[counted] as KindResult
    result.service.record(serviceNs)
    result.response.record(responseNs)
    const atMs = end - this.#startedAt
    if (atMs > this.#durationMs) result.late++
    this.#end(end)
    this.#options.observer?.ended(counted, atMs, serviceNs, responseNs)
  }

  #fail(kind: number, error: unknown, start: number): void {
    const at = this.#clock.now()
    countFailure(this.#kinds[kind] as KindResult, error, (at - start) * 1e6)
    if (this.#errors === 0) this.#firstError = error
    this.#errors++
    this.#end(at)
    this.#options.observer?.failed(kind, at - this.#startedAt, error)
  }

  #end(at: number): void {
    this.#ended++
    this.#lastEnd = at
    this.#onEnd?.()
  }

  /** The mean rate until the schedule ended: a ramp that was cut short had a lower one. */
  get #targetRate(): number {
    const { arrivals } = this.#options
    return arrivals.meanUntil?.(Math.min(this.#scheduledMs, this.#durationMs)) ?? arrivals.rate
  }

  /**
   * The time of the schedule: its duration, or until the arrival after its last one. A trace that ends, or a signal, ends it
   * with its last operation.
   */
  #countedMs(elapsedMs: number): number {
    const passedMs = this.#clock.now() - this.#startedAt
    if (this.#aborted || this.#scheduledMs === Infinity)
      return countedTime(passedMs, elapsedMs, this.#durationMs)
    return this.#scheduledMs >= this.#durationMs ? this.#durationMs : Math.max(this.#scheduledMs, elapsedMs)
  }

  result(): LoopResult {
    const elapsedMs = this.#lastEnd - this.#startedAt
    const passedMs = this.#clock.now() - this.#startedAt
    return {
      loop: 'open',
      kinds: this.#kinds,
      operations: this.#ended,
      errors: this.#errors,
      firstError: this.#firstError,
      elapsedMs,
      countedMs: this.#countedMs(elapsedMs),
      rate: rateOf(this.#ended, elapsedMs),
      clockJumpMs: this.#clock.wallNow() - this.#wallStart - passedMs,
      lostMs: 0,
      aborted: this.#aborted,
      open: {
        arrivals: this.#arrivals,
        dropped: this.#dropped,
        queued: this.#queued,
        targetRate: this.#targetRate,
        lag: this.#lag,
      },
    }
  }
}
