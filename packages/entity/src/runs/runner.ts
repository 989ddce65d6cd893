import { AsyncLocalStorage } from 'node:async_hooks'
import { type Call, endOf, heard, leftMs, StoreError } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import type { EntityStatistics } from '../contract/entity-db.ts'
import type { RetryPolicy } from '../retry/retry-policy.ts'

/** An attempt of a transaction: whether it took effect, and its result. */
export type Outcome<R> = { readonly committed: true; readonly result: R } | { readonly committed: false }

/** How a run is repeated. */
export interface RunPlan {
  readonly retry: RetryPolicy
  readonly onRetry: ((attempt: number, waitMs: number) => void) | undefined
}

/** Counters that a runner adds to. */
export type Counts = { -readonly [N in keyof EntityStatistics]: number }

/** The function of a run, and the one that it was called in. */
interface Place {
  readonly runner: Runner
  readonly outer: Place | undefined
  isOpen: boolean
}

/** One for all databases: Node.js 20 looks at each that was ever used whenever a promise is made, so one of each database would slow down and stay. */
const running: AsyncLocalStorage<Place> = new AsyncLocalStorage()

/** Makes attempts until one takes effect. */
export class Runner {
  readonly counts: Counts = { committed: 0, conflicts: 0, retries: 0, givenUp: 0, waitedMs: 0 }
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  /**
   * @throws {StoreError} `OVERLOADED` if every attempt lost a conflict; `TIMEOUT` and `ABORTED` between attempts
   */
  async run<R>(attempt: () => Promise<Outcome<R>>, call: Call, { retry, onRetry }: RunPlan): Promise<R> {
    let waitedMs = 0
    for (let count = 1; ; count++) {
      const outcome = await attempt()
      if (outcome.committed) {
        this.counts.committed++
        return outcome.result
      }
      this.counts.conflicts++
      const waitMs = retry({ count, waitedMs, random: this.#random })
      if (waitMs === undefined) throw this.#gaveUp(count)
      heard(onRetry?.(count, waitMs))
      await this.#wait(waitMs, call)
      waitedMs += waitMs
      this.counts.retries++
    }
  }

  /**
   * Run the function of the application, in which another run of this database is refused.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` inside such a function
   */
  async inside<R>(work: () => Promise<R>): Promise<R> {
    const place = { runner: this, outer: openPlace(running.getStore()), isOpen: true }
    try {
      return await running.run(place, work)
    } finally {
      place.isOpen = false
    }
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` inside the function of a run */
  refuseNested(operation: string): void {
    let place = openPlace(running.getStore())
    while (place !== undefined && place.runner !== this) place = openPlace(place.outer)
    if (place === undefined) return
    const message =
      operation === 'run'
        ? 'run() was called inside the function of another run(). Name the groups of both in one, as a list, or do one after the other.'
        : `${operation}() of the database was called inside the function of run(). ${instead(operation)}`
    throw new StoreError('INVALID_ARGUMENT', message, { operation })
  }

  async #wait(waitMs: number, call: Call): Promise<void> {
    if (waitMs > 0) {
      const until = Math.min(waitMs, Math.max(0, leftMs(call)))
      this.counts.waitedMs += until
      await pause(until, { signal: call.signal })
    }
    const end = endOf(call, false)
    if (end !== undefined) throw end
  }

  #gaveUp(count: number): StoreError {
    this.counts.givenUp++
    const lost = count === 1 ? 'a conflict' : `${count} conflicts in a row`
    const message = `The transaction lost ${lost}, and its retry policy gave up; nothing was changed. Use smaller groups, or a policy with longer waits.`
    return new StoreError('OVERLOADED', message, { operation: 'run' })
  }
}

/** The innermost function that has not ended, from this one on. */
function openPlace(from: Place | undefined): Place | undefined {
  let place = from
  while (place !== undefined && !place.isOpen) place = place.outer
  return place
}

function instead(operation: string): string {
  const isWhole = ['clear', 'sweep', 'reindex'].includes(operation)
  return isWhole ? 'Call it before or after.' : `Use tx.${operation}().`
}
