import {
  checkedMs,
  listener,
  ms,
  type Option,
  type OptionsOf,
  type OptionTable,
  oneOf,
  quietClock,
  quietRandom,
  readOptions,
  type SettingsOf,
  share,
  whole,
} from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'

const retryTable = {
  /** Attempts in all. @default 4 */
  attempts: whole(4),
  /** The first wait is random between 0 and this many milliseconds, and twice as much each time. @default 25 */
  baseMs: ms(25),
  /** Longest wait in milliseconds. @default 1,000 */
  capMs: ms(1_000),
  /** Retries as a share of calls, so that a failing store is not asked more than ever. @default 0.1 */
  budget: share(0.1),
  /** Retries that may come at once, before any share was earned. @default 10 */
  burst: whole(10, 0),
  /**
   * `'allowed'`: an unconditional set, delete or touch that was sent and not answered is sent again. The first one may
   * come late, and undo what another writer wrote since. Increments never are.
   *
   * @default 'refused'
   */
  lateDuplicates: oneOf('refused', ['refused', 'allowed']),
}

const breakerTable = {
  /** Share of failures among the last `window` calls that opens the breaker, 0 to 1. @default 0.5 */
  failureShare: share(0.5),
  /** Calls that are looked at; none before there were as many. @default 20 */
  window: whole(20),
  /** How long all calls fail, before one is let through to try. In milliseconds. @default 5,000 */
  openMs: ms(5_000),
}

const concurrencyTable = {
  /** Most calls at once. @default 1,024 */
  limit: whole(1_024),
  /** Most calls that wait for a place; more are `OVERLOADED` at once. @default 1,024 */
  queue: whole(1_024, 0),
}

const hedgeTable = {
  /** Milliseconds without an answer, or the time that 95 of 100 of the last reads took. @default 'p95' */
  afterMs: hedgeAfter,
  /** Second reads as a share of reads. @default 0.05 */
  budget: share(0.05),
}

const table = {
  /** Trying again what the table of outcomes allows; `false`: never. */
  retry: partOrOff(retryTable, {}),
  /** Failing fast while the store fails; `false`: never. */
  breaker: partOrOff(breakerTable, {}),
  /** Bounding the calls under way; `false`: not at all. */
  concurrency: partOrOff(concurrencyTable, {}),
  /** A second read beside a slow one. @default false */
  hedge: partOrOff(hedgeTable, false),
  /** Told what the layer does, for logs and metrics. Never holds a key. Errors it throws are ignored. */
  onEvent: listener<ResilienceEvent>(),
  /** Monotonic clock in milliseconds. @default performance.now */
  monotonicClock: quietClock(() => performance.now()),
  /** Uniform in [0, 1). @default Math.random */
  random: quietRandom(),
}

/** Settings of `resilience`. */
export interface ResilienceOptions extends OptionsOf<typeof table> {}

/** How calls are tried again. */
export interface RetryOptions extends OptionsOf<typeof retryTable> {}

/** When calls fail at once. */
export interface BreakerOptions extends OptionsOf<typeof breakerTable> {}

/** How many calls are under way. */
export interface ConcurrencyOptions extends OptionsOf<typeof concurrencyTable> {}

/** When a read is sent a second time. */
export interface HedgeOptions extends OptionsOf<typeof hedgeTable> {}

/** The event of the layer. */
export type ResilienceEvent =
  | {
      readonly type: 'retry'
      readonly verb: 'read' | 'write' | 'scan'
      readonly code: string
      readonly attempt: number
      readonly waitMs: number
    }
  | { readonly type: 'read back'; readonly found: boolean }
  | { readonly type: 'hedge' }
  | { readonly type: 'refused'; readonly by: 'breaker' | 'concurrency' }
  | { readonly type: 'breaker'; readonly state: BreakerState }

/** `half-open`: one call is trying whether the store works again. */
export type BreakerState = 'closed' | 'open' | 'half-open'

/** Options with their defaults, checked. */
export type ResilienceSettings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(options: ResilienceOptions) {
  const { monotonicClock: now, retry, ...settings } = readOptions('resilience', table, options)
  return { ...settings, now, retry: retry ?? { ...readOptions('resilience', retryTable, {}), attempts: 1 } }
}

/** Options of their own; `false`: without what they set. */
function partOrOff<T extends OptionTable>(
  table: T,
  fallback: OptionsOf<T> | false,
): Option<OptionsOf<T> | false | undefined, SettingsOf<T> | undefined> {
  return (given = fallback, name, whose) =>
    given === false ? undefined : readOptions(whose, table, given, name)
}

/** Milliseconds, or what 95 of 100 reads took. */
function hedgeAfter(given: number | 'p95' | undefined = 'p95', name: string): number | 'p95' {
  return given === 'p95' ? given : checkedMs(name, given)
}
