import { type Awaitable, isPromise } from '@unikv/core'
import { checkFactoryOptions, checkMs, type OptionNames } from '@unikv/core/adapter'
import { Histogram, type HistogramOptions } from '@unikv/core/histogram'
import { ownSignal } from '@unikv/core/platform'
import type { Arrivals } from './arrivals.ts'
import { type LoopClock, spinningClock } from './clock.ts'
import { emptyKinds, type KindResult, type LoopResult } from './loop-result.ts'
import type { LoopObserver, Operations } from './operations.ts'

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
 * @throws {RangeError} if nothing limits the loop
 */
export async function openLoop(work: Operations, options: OpenLoopOptions): Promise<LoopResult> {
  checkFactoryOptions('openLoop', options, optionNames)
  checkMs({ durationMs: options.durationMs }, { least: 0 })
  const { operations = Infinity, durationMs = Infinity, signal } = options
  if (operations === Infinity && durationMs === Infinity && signal === undefined) {
    throw new RangeError('An open loop needs a number of operations, a duration or a signal.')
  }
  const run = new OpenRun(work, options)
  await run.finish(operations, durationMs)
  return run.result()
}

class OpenRun {
  readonly #work: Operations
  readonly #options: OpenLoopOptions
  readonly #clock: LoopClock
  readonly #maxInFlight: number
  readonly #kinds: KindResult[]
  readonly #lag = new Histogram()
  readonly #wallStart: number
  readonly #startedAt: number
  #arrivals = 0
  #started = 0
  #ended = 0
  #dropped = 0
  #queued = 0
  #errors = 0
  #lastEnd: number
  #firstError: unknown
  #aborted = false
  #onEnd: (() => void) | undefined

  constructor(work: Operations, options: OpenLoopOptions) {
    this.#work = work
    this.#options = { ...options, signal: ownSignal(options.signal) }
    this.#clock = options.clock ?? spinningClock
    this.#maxInFlight = options.maxInFlight ?? 1_024
    this.#kinds = emptyKinds(work.kinds, 'open', options.histogram)
    this.#wallStart = this.#clock.wallNow()
    this.#startedAt = this.#clock.now()
    this.#lastEnd = this.#startedAt
  }

  async finish(operations: number, durationMs: number): Promise<void> {
    const { arrivals, signal } = this.#options
    let burst = 0
    for (
      let offset = arrivals.next();
      this.#arrivals < operations && offset < durationMs;
      offset = arrivals.next()
    ) {
      const intended = this.#startedAt + offset
      while (this.#clock.now() < intended || burst >= BURST) {
        const isLate = burst >= BURST
        burst = 0
        await this.#clock.wait(isLate ? Infinity : intended)
      }
      burst++
      if (signal?.aborted === true) {
        this.#aborted = true
        break
      }
      this.#arrivals++
      if (this.#inFlight < this.#maxInFlight) this.#start(intended, false)
      else if (this.#options.whenFull === 'queue') await this.#startLate(intended)
      else this.#dropped++
    }
    while (this.#inFlight > 0) await this.#nextEnd()
  }

  get #inFlight(): number {
    return this.#started - this.#ended
  }

  async #startLate(intended: number): Promise<void> {
    this.#queued++
    while (this.#inFlight >= this.#maxInFlight) await this.#nextEnd()
    this.#start(intended, true)
  }

  #nextEnd(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEnd = resolve
    })
  }

  #start(intended: number, queued: boolean): void {
    const sequence = this.#started++
    const kind = this.#work.pick(sequence)
    const start = this.#clock.now()
    if (!queued) this.#lag.record((start - intended) * 1e6)
    let answer: Awaitable<unknown>
    try {
      answer = this.#work.start(kind, sequence)
    } catch (error) {
      this.#fail(kind, error)
      return
    }
    if (!isPromise(answer)) this.#answered(kind, sequence, answer, intended, start)
    else
      answer.then(
        (found) => this.#answered(kind, sequence, found, intended, start),
        (error: unknown) => this.#fail(kind, error),
      )
  }

  #answered(kind: number, sequence: number, answer: unknown, intended: number, start: number): void {
    const end = this.#clock.now()
    let counted = kind
    try {
      counted = this.#work.check?.(kind, sequence, answer) ?? kind
    } catch (error) {
      this.#fail(kind, error)
      return
    }
    const [serviceNs, responseNs] = [(end - start) * 1e6, (end - intended) * 1e6]
    const { service, response } = this.#kinds[counted] as KindResult
    service.record(serviceNs)
    response.record(responseNs)
    this.#options.observer?.ended(counted, end - this.#startedAt, serviceNs, responseNs)
    this.#end(end)
  }

  #fail(kind: number, error: unknown): void {
    ;(this.#kinds[kind] as KindResult).errors++
    this.#errors++
    this.#firstError ??= error
    const at = this.#clock.now()
    this.#options.observer?.failed(kind, at - this.#startedAt, error)
    this.#end(at)
  }

  #end(at: number): void {
    this.#ended++
    this.#lastEnd = at
    this.#onEnd?.()
  }

  result(): LoopResult {
    const elapsedMs = this.#lastEnd - this.#startedAt
    return {
      loop: 'open',
      kinds: this.#kinds,
      operations: this.#ended,
      errors: this.#errors,
      firstError: this.#firstError,
      elapsedMs,
      rate: (this.#ended / elapsedMs) * 1_000,
      clockJumpMs: this.#clock.wallNow() - this.#wallStart - (this.#clock.now() - this.#startedAt),
      aborted: this.#aborted,
      open: {
        arrivals: this.#arrivals,
        dropped: this.#dropped,
        queued: this.#queued,
        targetRate: this.#options.arrivals.rate,
        lag: this.#lag,
      },
    }
  }
}
