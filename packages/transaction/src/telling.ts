import { StoreError, unfailingListener } from '@unikv/core/adapter'
import { monotonicClock } from '@unikv/core/platform'
import type { Recovered } from './recovery/recover.ts'
import type { Parts } from './run/participant.ts'

/** The end of a transaction with all its attempts, or of a recovery. It holds no keys. */
export interface TransactionEnd {
  /** Name of the store that is the log. */
  readonly log: string
  readonly operation: 'transaction' | 'recovery'
  readonly durationMs: number
  /**
   * How many transactions ended so: of a run one of `committed`, `rolledBack` (by its function), `givenUp` and `failed`; of a recovery
   * `committed`, `aborted` and `left`.
   */
  readonly outcomes: Readonly<Record<string, number>>
  /** Conflicts that were lost, by the name of the store that had them; `log`: another process aborted it after the lease. */
  readonly conflicts?: Readonly<Record<string, number>>
  /** The error of a run that failed, or gave up. */
  readonly error?: unknown
}

/** Counts how transactions end, as `monitor()` of @unikv/monitor does. */
export interface TransactionMonitor {
  /** It is not waited for, and its errors are ignored. */
  transacted(end: TransactionEnd): unknown
}

/** Tells a monitor how runs and recoveries end. */
export class Telling {
  readonly #log: string
  readonly #tell: (end: TransactionEnd) => void

  /** @throws {StoreError} `INVALID_CONFIG` if it is not a monitor */
  constructor(log: string, monitor: TransactionMonitor | undefined) {
    this.#log = log
    if (monitor !== undefined && typeof monitor?.transacted !== 'function')
      throw new StoreError('INVALID_CONFIG', '`monitor` of transactions() must be what monitor() returned.')
    this.#tell = unfailingListener('transactions', 'monitor', monitor && ((end) => monitor.transacted(end)))
  }

  run(): Running {
    return new Running(this.#log, this.#tell)
  }

  /** A recovery, which is told when it has ended. */
  async recovery(work: () => Promise<Recovered>): Promise<Recovered> {
    const startedAt = monotonicClock()
    const tell = (outcomes: TransactionEnd['outcomes'], error?: unknown): void => {
      const durationMs = monotonicClock() - startedAt
      this.#tell({ log: this.#log, operation: 'recovery', durationMs, outcomes, error })
    }
    try {
      const recovered = await work()
      const { committed, aborted, left } = recovered
      tell({ committed, aborted, left: left.length })
      return recovered
    } catch (error) {
      tell({}, error)
      throw error
    }
  }
}

/** One run with its attempts. */
export class Running {
  readonly #log: string
  readonly #tell: (end: TransactionEnd) => void
  readonly #startedAt = monotonicClock()
  readonly #conflicts: Record<string, number> = {}
  /** How it ends if it throws. */
  outcome: 'rolledBack' | 'givenUp' | 'failed' = 'failed'

  constructor(log: string, tell: (end: TransactionEnd) => void) {
    this.#log = log
    this.#tell = tell
  }

  /** An attempt lost a conflict. Without a cause it was in the one store that it changes, if there is one. */
  conflict({ attempt, shares }: Parts): void {
    const [only, ...others] = shares.filter(({ writes }) => writes.size > 0)
    const cause = attempt.lostIn ?? (others.length === 0 ? only?.participant.name : undefined) ?? 'log'
    this.#conflicts[cause] = (this.#conflicts[cause] ?? 0) + 1
  }

  /** The end of the run, which is told. */
  async end<R>(work: () => Promise<R>): Promise<R> {
    try {
      const result = await work()
      this.#ended('committed')
      return result
    } catch (error) {
      // An error of its function is what the application wants.
      this.#ended(this.outcome, this.outcome === 'rolledBack' ? undefined : error)
      throw error
    }
  }

  #ended(outcome: string, error?: unknown): void {
    const durationMs = monotonicClock() - this.#startedAt
    this.#tell({
      log: this.#log,
      operation: 'transaction',
      durationMs,
      outcomes: { [outcome]: 1 },
      conflicts: this.#conflicts,
      error,
    })
  }
}
