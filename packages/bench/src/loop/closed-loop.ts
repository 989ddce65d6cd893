import { isPromise } from '@unikv/core'
import { type OptionNames, ownSignal } from '@unikv/core/adapter'
import { AbortController } from '@unikv/core/platform'
import { type LoopClock, spinningClock } from './clock.ts'
import { checkCounts, checkLoop, LoopAccount, type LoopOptions, loopOptionNames } from './loop-account.ts'
import { countedTime, type LoopResult } from './loop-result.ts'
import { checkedKind, nextKind, type Operations } from './operations.ts'

/** How long a closed loop runs, and with how many workers. */
export interface ClosedLoopOptions extends LoopOptions {
  /** Callers that each await their operation before the next one. @default 1 */
  readonly workers?: number | undefined
  /** Even after `durationMs` this many are started. @default 0 */
  readonly atLeast?: number | undefined
  /** No operation starts after one that failed. @default false */
  readonly stopsOnError?: boolean | undefined
}

/**
 * A store that answers at once, or by promises that are settled already, would starve the event loop: timers, signals and
 * other stores would wait for ever. The event loop gets a turn after so many operations, or after so many milliseconds.
 */
const OPERATIONS_A_TURN = 4_096
const MS_A_TURN = 20

/** Waits for operations that are not ready yet end so soon after the loop should. */
const END_CHECK_MS = 100

/** A start of an operation that takes longer blocks the event loop: that is the store, not a pause of the generator. */
const LONG_START_MS = 50

const optionNames: OptionNames<ClosedLoopOptions> = {
  ...loopOptionNames,
  workers: true,
  atLeast: true,
  stopsOnError: true,
}

/**
 * Run operations back to back: each worker starts its next one when the last has ended, so a slow store is asked
 * less. Good for latency without load and for the highest throughput; a stall hides there what users of a fixed
 * rate would see (coordinated omission): for that there is `openLoop`.
 *
 * The clock is read twice an operation: the end of one is the start of the worker's next, unless its answer is checked in
 * between.
 *
 * @throws {RangeError} if nothing limits the loop, if a number of workers or operations is not a whole one, or if `pick`
 * returns an index without a kind; the last one only when every operation has ended
 */
export async function closedLoop(work: Operations, options: ClosedLoopOptions = {}): Promise<LoopResult> {
  checkLoop('closed', options, optionNames)
  const { workers = 1, operations = Infinity, atLeast } = options
  checkCounts({ workers }, { least: 1, infinite: false })
  checkCounts({ atLeast }, { least: 0, infinite: true })
  const run = new ClosedRun(work, options)
  if (work.ready !== undefined) void run.watchEnd()
  const running = Array.from({ length: Math.min(workers, operations) }, () => run.worker())
  const ended = await Promise.allSettled(running)
  const result = run.result()
  for (const worker of ended) if (worker.status === 'rejected') throw worker.reason
  return result
}

class ClosedRun {
  readonly #work: Operations
  readonly #clock: LoopClock
  readonly #signal: AbortSignal | undefined
  readonly #operations: number
  readonly #atLeast: number
  readonly #stopsOnError: boolean
  readonly #account: LoopAccount
  readonly #lostMs: () => number
  /** The time that the store itself blocked the event loop. */
  #blockedMs = 0
  #issued = 0
  #sinceTurn = 0
  #lastTurn: number
  #turning: Promise<void> | undefined
  #aborted = false
  #isBroken = false
  /** No operation begins any more. */
  readonly #ended = new AbortController()

  constructor(work: Operations, options: ClosedLoopOptions) {
    this.#work = work
    this.#clock = options.clock ?? spinningClock
    this.#signal = ownSignal(options.signal)
    this.#operations = options.operations ?? Infinity
    this.#atLeast = Math.min(options.atLeast ?? 0, this.#operations)
    this.#stopsOnError = options.stopsOnError ?? false
    this.#lostMs = this.#clock.watchLost?.() ?? (() => 0)
    this.#account = new LoopAccount('closed', work, options)
    this.#lastTurn = this.#account.startedAt
  }

  async worker(): Promise<void> {
    let start = this.#clock.now()
    while (this.#goesOn(start)) {
      if (this.#work.ready !== undefined) {
        if (!(await this.#isReady())) break
        start = this.#clock.now()
        if (!this.#goesOn(start)) break
      }
      const sequence = this.#issued++
      const index = this.#pick(sequence)
      try {
        const answer = this.#work.start(index, sequence)
        this.#begun(start)
        const found: unknown = isPromise(answer) ? await answer : answer
        const end = this.#clock.now()
        const kind = checkedKind(this.#work, index, sequence, found)
        const ns = (end - start) * 1e6
        this.#account.count(kind, end, ns, ns)
        start = this.#work.check === undefined ? end : this.#clock.now()
      } catch (error) {
        const end = this.#clock.now()
        this.#account.fail(index, end, error, (end - start) * 1e6)
        start = end
      }
      if (++this.#sinceTurn >= OPERATIONS_A_TURN || start - this.#lastTurn >= MS_A_TURN)
        start = await this.#turn()
    }
    this.#ended.abort()
    if (start > this.#account.lastEnd) this.#account.lastEnd = start
  }

  /** End the waits for operations when the loop ends meanwhile. */
  async watchEnd(): Promise<void> {
    const ended = this.#ended.signal
    const { startedAt, durationMs } = this.#account
    for (let now = startedAt; this.#goesOn(now) && !ended.aborted; now = this.#clock.now()) {
      const end = startedAt + durationMs
      await this.#clock.wait(end > now ? Math.min(end, now + END_CHECK_MS) : now + END_CHECK_MS)
    }
    this.#ended.abort()
  }

  /** If `ready` fails, the other workers start nothing more. */
  async #isReady(): Promise<boolean> {
    try {
      return (await this.#work.ready?.(this.#ended.signal)) === true
    } catch (error) {
      this.#isBroken = true
      this.#ended.abort()
      throw error
    }
  }

  #goesOn(now: number): boolean {
    if (this.#issued >= this.#operations || this.#isBroken) return false
    const { errors, startedAt, durationMs } = this.#account
    if (this.#stopsOnError && errors > 0) return false
    if (now - startedAt >= durationMs && this.#issued >= this.#atLeast) return false
    this.#aborted ||= this.#signal?.aborted === true
    return !this.#aborted
  }

  /** The next kind. If `pick` fails, the other workers start nothing more. */
  #pick(sequence: number): number {
    try {
      return nextKind(this.#work, sequence)
    } catch (error) {
      this.#isBroken = true
      throw error
    }
  }

  #begun(start: number): void {
    const tookMs = this.#clock.now() - start
    if (tookMs > LONG_START_MS) this.#blockedMs += tookMs
  }

  /** Let the event loop turn. Returns when the next operation starts: the pause is none of its time. */
  async #turn(): Promise<number> {
    // all workers resume together: by turns of their own each would run for a while before the next one's came
    this.#turning ??= this.#clock.wait(Infinity).then(() => this.#turned())
    await this.#turning
    return this.#clock.now()
  }

  #turned(): void {
    this.#turning = undefined
    this.#sinceTurn = 0
    this.#lastTurn = this.#clock.now()
  }

  result(): LoopResult {
    const counted = this.#account.result(this.#issued)
    const { passedMs, durationMs } = this.#account
    return {
      ...counted,
      countedMs: countedTime(passedMs, counted.elapsedMs, durationMs),
      lostMs: Math.max(0, this.#lostMs() - this.#blockedMs),
      aborted: this.#aborted,
    }
  }
}
