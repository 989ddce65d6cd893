import { isPromise } from '@unikv/core'
import { type LoopClock, spinningClock } from './clock.ts'
import { emptyKinds, type LoopResult } from './loop-result.ts'
import type { Operations } from './operations.ts'

/** How long a closed loop runs, and with how many workers. */
export interface ClosedLoopOptions {
  /** Callers that each await their operation before the next one. @default 1 */
  readonly workers?: number
  /** Operations in all. @default Infinity */
  readonly operations?: number
  /** No operation starts after this time. @default Infinity */
  readonly durationMs?: number
  /** Even after `durationMs` this many are started. @default 0 */
  readonly atLeast?: number
  readonly signal?: AbortSignal | undefined
  readonly clock?: LoopClock
}

/** A store that always answers at once would starve the event loop; every so many operations it gets a turn. */
const OPERATIONS_A_TURN = 4_096

/**
 * Run operations back to back: each worker starts its next one when the last has ended, so a slow store is asked
 * less. Good for latency without load and for the highest throughput; a stall hides there what users of a fixed
 * rate would see (coordinated omission): for that there is `openLoop`.
 *
 * The clock is read once an operation: the end of one is the start of the worker's next.
 *
 * @throws {RangeError} if nothing limits the loop or there is no worker
 */
export async function closedLoop(work: Operations, options: ClosedLoopOptions = {}): Promise<LoopResult> {
  const { workers = 1, operations = Infinity, durationMs = Infinity, clock = spinningClock, signal } = options
  if (!(workers >= 1)) throw new RangeError('A closed loop needs one worker or more.')
  if (operations === Infinity && durationMs === Infinity && signal === undefined) {
    throw new RangeError('A closed loop needs a number of operations, a duration or a signal.')
  }
  const kinds = emptyKinds(work.kinds, 'closed')
  const wallStart = clock.wallNow()
  const startedAt = clock.now()
  const state = {
    issued: 0,
    errors: 0,
    firstError: undefined as unknown,
    lastEnd: startedAt,
    answeredAtOnce: 0,
  }
  const atLeast = Math.min(options.atLeast ?? 0, operations)

  const worker = async (): Promise<void> => {
    let start = clock.now()
    for (;;) {
      if (state.issued >= operations || signal?.aborted === true) break
      if (start - startedAt >= durationMs && state.issued >= atLeast) break
      const sequence = state.issued++
      const index = work.pick(sequence)
      const kind = kinds[index] as (typeof kinds)[number]
      let failed = false
      try {
        const answer = work.start(index, sequence)
        if (isPromise(answer)) await answer
        else state.answeredAtOnce++
      } catch (error) {
        failed = true
        state.errors++
        kind.errors++
        state.firstError ??= error
      }
      const end = clock.now()
      if (!failed) kind.service.record((end - start) * 1e6)
      start = end
      if (state.answeredAtOnce >= OPERATIONS_A_TURN) {
        state.answeredAtOnce = 0
        await clock.wait(Infinity)
        start = clock.now()
      }
    }
    if (start > state.lastEnd) state.lastEnd = start
  }

  await Promise.all(Array.from({ length: Math.min(workers, operations) }, worker))
  const elapsedMs = state.lastEnd - startedAt
  return {
    loop: 'closed',
    kinds,
    operations: state.issued,
    errors: state.errors,
    firstError: state.firstError,
    elapsedMs,
    rate: (state.issued / elapsedMs) * 1_000,
    clockJumpMs: clock.wallNow() - wallStart - (clock.now() - startedAt),
    aborted: signal?.aborted === true && state.issued < operations,
  }
}
