import { type PassThrough, passThrough, StoreError } from '@unikv/core'
import { flag, kindOf, type OptionsOf, quietClock, readOptions, whole } from '@unikv/core/adapter'
import { Counts } from './counts.ts'
import { measured } from './measured.ts'
import type { TransactionEnd } from './meters/transaction-meter.ts'
import { monotonicMs } from './monotonic.ts'
import { type Query, queryName } from './query.ts'
import type { RecentCall } from './recent-calls.ts'
import type { MonitorSnapshot } from './snapshot.ts'
import { noteCounts } from './taking.ts'
import { trafficLayer } from './traffic.ts'
import { watched } from './watched.ts'

const table = {
  /** Time every answer that comes without a promise, instead of one in 16: some 90 ns more for each. @default false */
  timeEverySync: flag(false),
  /** How many of the latest calls `recent()` has in detail, up to 1,000,000; `0`: none. @default 1,000 */
  recentCalls: whole(1_000, 0, 1_000_000),
  /** Monotonic clock in milliseconds, for latencies. @default Node's `hrtime` */
  monotonicClock: quietClock(monotonicMs),
  /** Wall clock in milliseconds, for `sinceAt` and `takenAt`. @default Date.now */
  clock: quietClock(),
}

/** Settings of a monitor. */
export interface MonitorOptions extends OptionsOf<typeof table> {}

/** A layer, and the handle to what it saw. */
export interface Monitor extends PassThrough {
  /** The counts since the start, or since the last `reset`. */
  snapshot(): MonitorSnapshot
  /** The latest calls in detail, the earliest first. */
  recent(): readonly RecentCall[]
  /**
   * Count and time a call of a native client, such as an SQL statement, as operation `native` of this name: that of a store,
   * or another one. Returns what `run` returns.
   *
   * ```ts
   * const rows = await m.measure('postgres', () => pool.query('SELECT …'))
   * ```
   *
   * @param query the attributes by which the call selects: its figures are kept by them too, so that a tuner learns which index would help
   * @throws {StoreError} `INVALID_ARGUMENT` if the name is not a text of 1 to 100 characters, or an attribute is not a name
   */
  measure<T>(name: string, run: () => PromiseLike<T>, query?: Query): Promise<T>
  /** The same for a client that answers without a promise. */
  measure<T>(name: string, run: () => T, query?: Query): T
  /** Count the end of a transaction, or of a recovery. `transactions(stores, { monitor })` of @unikv/transaction calls it. */
  transacted(end: TransactionEnd): void
  /** A layer that counts bytes of values. Place it last, next to the store. */
  traffic(): PassThrough
  /** Start counting anew. Calls under way are then counted nowhere. */
  reset(): void
}

/**
 * Count calls, errors, hits by tier and latencies, operation by operation. Place it first, so that it sees what the
 * application sees; one monitor may be in several stacks.
 *
 * Calls that are answered by promise are also published on the `node:diagnostics_channel` channels `unikv:read`,
 * `unikv:write`, `unikv:scan` and `unikv:native` while those have subscribers.
 */
export function monitor(options: MonitorOptions = {}): Monitor {
  const { timeEverySync, recentCalls, clock, monotonicClock } = readOptions('monitor', table, options)
  const counts = new Counts({ clock: monotonicClock, everySync: timeEverySync }, clock, recentCalls)
  const { name, plan } = passThrough('monitor', { wrap: (inner) => watched(inner, counts) })
  const made = Object.freeze({
    name,
    plan,
    snapshot: () => counts.snapshot(),
    recent: () => counts.calls.list(),
    measure: <T>(whose: string, run: () => T, query?: Query) => {
      checkMeasure(whose, run)
      return measured(counts, whose, run, query === undefined ? undefined : queryName(query)) as T
    },
    transacted: (end: TransactionEnd) => counts.transacted(end),
    traffic: () => trafficLayer(counts),
    reset: () => counts.reset(),
  })
  noteCounts(made, counts)
  return made
}

function checkMeasure(name: unknown, run: unknown): void {
  if (typeof name !== 'string' || name === '' || name.length > 100)
    throw new StoreError(
      'INVALID_ARGUMENT',
      'The name of a measured call must be a text of 1 to 100 characters.',
    )
  if (typeof run !== 'function')
    throw new StoreError('INVALID_ARGUMENT', `measure() takes a name and a function, got ${kindOf(run)}.`)
}
