import { isStoreError } from '@unikv/core/adapter'
import type { Counts } from '../figures.ts'
import type { TransactionSnapshot } from '../snapshot.ts'
import { type KindSums, Meter } from './meter.ts'

/** The end of a transaction with all its attempts, or of a recovery: what `transactions(stores, { monitor })` tells. */
export interface TransactionEnd {
  /** Name of the log, under which it is counted. */
  readonly log: string
  readonly operation: 'transaction' | 'recovery'
  readonly durationMs: number
  /** How many transactions ended so: `committed`, `aborted` and others. */
  readonly outcomes: Counts
  /** Conflicts that were lost, by the name of the store that had them. */
  readonly conflicts?: Counts
  /** The error of a call that failed. */
  readonly error?: unknown
}

/** Counts transactions, or recoveries, over one log. */
export class TransactionMeter extends Meter {
  readonly #outcomes = new Map<string, number>()
  readonly #conflicts = new Map<string, number>()
  #answered = 0

  /** Count the end of a call. Returns how many items failed. */
  count({ durationMs, outcomes, conflicts = {}, error }: TransactionEnd): number {
    this.start()
    this.settled(this.waits(-1) - durationMs, {})
    add(this.#outcomes, outcomes)
    add(this.#conflicts, conflicts)
    if (!isStoreError(error)) {
      this.#answered++
      return 0
    }
    this.failed(error, 1)
    return 1
  }

  protected sums(): KindSums {
    const conditionsFailed = sumOf(this.#conflicts)
    return { answered: this.#answered, misses: 0, absent: 0, stale: 0, conditionsFailed }
  }

  snapshot(): TransactionSnapshot {
    return {
      ...this.common(this.#answered),
      conditionsFailed: sumOf(this.#conflicts),
      conflicts: Object.fromEntries(this.#conflicts),
      outcomes: Object.fromEntries(this.#outcomes),
    }
  }
}

function add(to: Map<string, number>, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) if (count > 0) to.set(name, (to.get(name) ?? 0) + count)
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}
