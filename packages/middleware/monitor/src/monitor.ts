import { type PassThrough, passThrough, StoreError } from '@unikv/core'
import { checkFactoryOptions, kindOf, type OptionNames, unfailingNumbers } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
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

/** Settings of a monitor. */
export interface MonitorOptions {
  /** Time every answer that comes without a promise, instead of one in 16: some 90 ns more for each. @default false */
  readonly timeEverySync?: boolean | undefined
  /** How many of the latest calls are kept in detail; `0`: none. @default 1000 */
  readonly recentCalls?: number | undefined
  /** Monotonic clock in milliseconds. @default Node's `hrtime` */
  readonly monotonicClock?: (() => number) | undefined
  /** Wall clock in milliseconds. @default Date.now */
  readonly clock?: (() => number) | undefined
}

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

const optionNames: OptionNames<MonitorOptions> = {
  timeEverySync: true,
  recentCalls: true,
  monotonicClock: true,
  clock: true,
}

/**
 * Count calls, errors, hits by tier and latencies, operation by operation. Place it first, so that it sees what the
 * application sees; one monitor may be in several stacks.
 *
 * Calls that are answered by promise are also published on the `node:diagnostics_channel` channels `unikv:read`,
 * `unikv:write`, `unikv:scan` and `unikv:native` while those have subscribers.
 */
export function monitor(options: MonitorOptions = {}): Monitor {
  checkFactoryOptions('monitor', options, optionNames)
  const { timeEverySync = false, recentCalls = 1000 } = options
  const clock = unfailingNumbers('monitor', 'clock', options.clock, wallClock)
  const monotonicClock = unfailingNumbers('monitor', 'monotonicClock', options.monotonicClock, monotonicMs)
  if (typeof timeEverySync !== 'boolean')
    throw new StoreError('INVALID_CONFIG', 'timeEverySync must be true or false.')
  checkRecentCalls(recentCalls)
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

function checkRecentCalls(most: unknown): void {
  if (Number.isInteger(most) && (most as number) >= 0 && (most as number) <= 1e6) return
  throw new StoreError('INVALID_CONFIG', 'recentCalls must be a whole number from 0 to 1,000,000.')
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
