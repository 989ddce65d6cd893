import { type Awaitable, isPromise } from '@unikv/core'
import { checkOneOf, type OptionNames, ownSignal } from '@unikv/core/adapter'
import { Histogram } from '@unikv/core/histogram'
import type { Arrivals } from './arrivals.ts'
import { type LoopClock, spinningClock } from './clock.ts'
import { checkCounts, checkLoop, LoopAccount, type LoopOptions, loopOptionNames } from './loop-account.ts'
import { countedTime, type LoopResult } from './loop-result.ts'
import { checkedKind, nextKind, type Operations } from './operations.ts'

/** When an open loop ends, and what it does when the store falls behind. */
export interface OpenLoopOptions extends LoopOptions {
  readonly arrivals: Arrivals
  /** Most operations in flight. @default 1024 */
  readonly maxInFlight?: number | undefined
  /**
   * The treatment of an arrival beyond `maxInFlight`: `drop` counts it and forgets it; `queue` starts it late, and
   * its response time holds the wait.
   * @default 'drop'
   */
  readonly whenFull?: 'drop' | 'queue' | undefined
}

/** Late arrivals are started in bursts of so many; then what is in flight may end. */
const BURST = 64
/** The wait for an arrival is cut into parts of so many milliseconds, so that an abort is noticed. */
const LONGEST_WAIT_MS = 100

const optionNames: OptionNames<OpenLoopOptions> = {
  ...loopOptionNames,
  arrivals: true,
  maxInFlight: true,
  whenFull: true,
}

/**
 * Run operations at the times of a schedule, whether or not earlier ones have ended, as independent users do.
 * Response times count from the intended start; the schedule never waits for the store.
 *
 * @throws {RangeError} if nothing limits the loop, if a number of operations is not a whole one, or if `pick` returns an
 * index without a kind; the last one only when every operation has ended
 */
export async function openLoop(work: Operations, options: OpenLoopOptions): Promise<LoopResult> {
  checkLoop('open', options, optionNames)
  checkCounts({ maxInFlight: options.maxInFlight }, { least: 1, infinite: true })
  checkOneOf('whenFull', options.whenFull, ['drop', 'queue'])
  if (work.ready !== undefined)
    throw new RangeError(
      'An open loop follows its schedule, and cannot wait for operations to be ready. Use closedLoop.',
    )
  const run = new OpenRun(work, options)
  try {
    await run.schedule(options.operations ?? Infinity)
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
  readonly #lag = new Histogram()
  readonly #account: LoopAccount
  #arrivals = 0
  #started = 0
  #ended = 0
  #dropped = 0
  #queued = 0
  /** Until then the schedule waited for an operation in flight to end. */
  #heldUntil: number
  #aborted = false
  #onEnd: (() => void) | undefined
  /** Until then the schedule was followed; `Infinity` if it has no further arrival. */
  #scheduledMs = 0

  constructor(work: Operations, options: OpenLoopOptions) {
    this.#work = work
    this.#options = { ...options, signal: ownSignal(options.signal) }
    this.#clock = options.clock ?? spinningClock
    this.#maxInFlight = options.maxInFlight ?? 1_024
    this.#account = new LoopAccount('open', work, options)
    this.#heldUntil = this.#account.startedAt
  }

  /** Start what arrives until then. */
  async schedule(operations: number): Promise<void> {
    const { arrivals } = this.#options
    const { startedAt, durationMs } = this.#account
    let offset = arrivals.next()
    this.#scheduledMs = offset
    for (let burst = 1; this.#arrivals < operations && offset < durationMs; burst++) {
      const intended = startedAt + offset
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
    this.#end(end)
    this.#account.count(counted, end, (end - start) * 1e6, (end - intended) * 1e6)
  }

  #fail(kind: number, error: unknown, start: number): void {
    const at = this.#clock.now()
    this.#end(at)
    this.#account.fail(kind, at, error, (at - start) * 1e6)
  }

  #end(at: number): void {
    this.#ended++
    this.#account.lastEnd = at
    this.#onEnd?.()
  }

  /** The mean rate until the schedule ended: a ramp that was cut short had a lower one. */
  get #targetRate(): number {
    const { arrivals } = this.#options
    return arrivals.meanUntil?.(Math.min(this.#scheduledMs, this.#account.durationMs)) ?? arrivals.rate
  }

  /**
   * The time of the schedule: its duration, or until the arrival after its last one. A trace that ends, or a signal, ends it
   * with its last operation.
   */
  #countedMs(elapsedMs: number): number {
    const { passedMs, durationMs } = this.#account
    if (this.#aborted || this.#scheduledMs === Infinity) return countedTime(passedMs, elapsedMs, durationMs)
    return this.#scheduledMs >= durationMs ? durationMs : Math.max(this.#scheduledMs, elapsedMs)
  }

  result(): LoopResult {
    const counted = this.#account.result(this.#ended)
    return {
      ...counted,
      countedMs: this.#countedMs(counted.elapsedMs),
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
