import { StoreError } from '@unikv/core'
import {
  checkedMs,
  checkFactoryOptions,
  type OptionNames,
  unfailingListener,
  unfailingNumbers,
  unfailingRandom,
} from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'

/** Settings of `resilience`. */
export interface ResilienceOptions {
  /** Trying again what the table of outcomes allows; `false`: never. */
  readonly retry?: RetryOptions | false | undefined
  /** Failing fast while the store fails; `false`: never. */
  readonly breaker?: BreakerOptions | false | undefined
  /** Bounding the calls under way; `false`: not at all. */
  readonly concurrency?: ConcurrencyOptions | false | undefined
  /** A second read beside a slow one. @default false */
  readonly hedge?: HedgeOptions | false | undefined
  /** Told what the layer does, for logs and metrics. Never holds a key. Errors it throws are ignored. */
  readonly onEvent?: ((event: ResilienceEvent) => void) | undefined
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly monotonicClock?: (() => number) | undefined
  /** Uniform in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined
}

/** How calls are tried again. */
export interface RetryOptions {
  /** Attempts in all. @default 4 */
  readonly attempts?: number | undefined
  /** The first wait is random between 0 and this many milliseconds, and twice as much each time. @default 25 */
  readonly baseMs?: number | undefined
  /** Longest wait in milliseconds. @default 1,000 */
  readonly capMs?: number | undefined
  /** Retries as a share of calls, so that a failing store is not asked more than ever. @default 0.1 */
  readonly budget?: number | undefined
  /** Retries that may come at once, before any share was earned. @default 10 */
  readonly burst?: number | undefined
  /**
   * `'allowed'`: an unconditional set, delete or touch that was sent and not answered is sent again. The first one may
   * come late, and undo what another writer wrote since. Increments never are.
   *
   * @default 'refused'
   */
  readonly lateDuplicates?: 'refused' | 'allowed' | undefined
}

/** When calls fail at once. */
export interface BreakerOptions {
  /** Share of failures among the last `window` calls that opens the breaker, 0 to 1. @default 0.5 */
  readonly failureShare?: number | undefined
  /** Calls that are looked at; none before there were as many. @default 20 */
  readonly window?: number | undefined
  /** How long all calls fail, before one is let through to try. In milliseconds. @default 5,000 */
  readonly openMs?: number | undefined
}

/** How many calls are under way. */
export interface ConcurrencyOptions {
  /** Most calls at once. @default 1,024 */
  readonly limit?: number | undefined
  /** Most calls that wait for a place; more are `OVERLOADED` at once. @default 1,024 */
  readonly queue?: number | undefined
}

/** When a read is sent a second time. */
export interface HedgeOptions {
  /** Milliseconds without an answer, or the time that 95 of 100 of the last reads took. @default 'p95' */
  readonly afterMs?: number | 'p95' | undefined
  /** Second reads as a share of reads. @default 0.05 */
  readonly budget?: number | undefined
}

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
export interface ResilienceSettings {
  readonly retry: Required<{ [K in keyof RetryOptions]: Exclude<RetryOptions[K], undefined> }>
  readonly breaker:
    | Required<{ [K in keyof BreakerOptions]: Exclude<BreakerOptions[K], undefined> }>
    | undefined
  readonly concurrency: { readonly limit: number; readonly queue: number } | undefined
  readonly hedge: { readonly afterMs: number | 'p95'; readonly budget: number } | undefined
  readonly onEvent: (event: ResilienceEvent) => void
  readonly now: () => number
  readonly random: () => number
}

const optionNames: OptionNames<ResilienceOptions> = {
  retry: true,
  breaker: true,
  concurrency: true,
  hedge: true,
  onEvent: true,
  monotonicClock: true,
  random: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(options: ResilienceOptions): ResilienceSettings {
  checkFactoryOptions('resilience', options, optionNames)
  for (const [part, names] of Object.entries(partNames)) {
    const given = options[part as keyof typeof partNames]
    if (given !== false) checkFactoryOptions(`resilience.${part}`, given, names)
  }
  return {
    retry: retryOf(options.retry),
    breaker: options.breaker === false ? undefined : breakerOf(options.breaker ?? {}),
    concurrency: options.concurrency === false ? undefined : concurrencyOf(options.concurrency ?? {}),
    hedge: options.hedge === undefined || options.hedge === false ? undefined : hedgeOf(options.hedge),
    onEvent: unfailingListener('resilience', 'onEvent', options.onEvent),
    now: unfailingNumbers('resilience', 'monotonicClock', options.monotonicClock, () => performance.now()),
    random: unfailingRandom('resilience', options.random),
  }
}

const partNames = {
  retry: {
    attempts: true,
    baseMs: true,
    capMs: true,
    budget: true,
    burst: true,
    lateDuplicates: true,
  } satisfies OptionNames<RetryOptions>,
  breaker: { failureShare: true, window: true, openMs: true } satisfies OptionNames<BreakerOptions>,
  concurrency: { limit: true, queue: true } satisfies OptionNames<ConcurrencyOptions>,
  hedge: { afterMs: true, budget: true } satisfies OptionNames<HedgeOptions>,
}

function retryOf(options: RetryOptions | false = {}): ResilienceSettings['retry'] {
  const {
    attempts = 4,
    baseMs = 25,
    capMs = 1_000,
    budget = 0.1,
    burst = 10,
    lateDuplicates = 'refused',
  } = options || {}
  whole('retry.attempts', attempts, 1)
  whole('retry.burst', burst, 0)
  checkedMs('retry.baseMs', baseMs)
  checkedMs('retry.capMs', capMs)
  share('retry.budget', budget)
  check(
    ['refused', 'allowed'].includes(lateDuplicates),
    "retry.lateDuplicates must be 'refused' or 'allowed'.",
  )
  return { attempts: options === false ? 1 : attempts, baseMs, capMs, budget, burst, lateDuplicates }
}

function breakerOf({
  failureShare = 0.5,
  window = 20,
  openMs = 5_000,
}: BreakerOptions): ResilienceSettings['breaker'] {
  share('breaker.failureShare', failureShare)
  whole('breaker.window', window, 1)
  checkedMs('breaker.openMs', openMs)
  return { failureShare, window, openMs }
}

function concurrencyOf({
  limit = 1_024,
  queue = 1_024,
}: ConcurrencyOptions): ResilienceSettings['concurrency'] {
  whole('concurrency.limit', limit, 1)
  whole('concurrency.queue', queue, 0)
  return { limit, queue }
}

function hedgeOf({ afterMs = 'p95', budget = 0.05 }: HedgeOptions): ResilienceSettings['hedge'] {
  if (afterMs !== 'p95') checkedMs('hedge.afterMs', afterMs)
  share('hedge.budget', budget)
  return { afterMs, budget }
}

function whole(name: string, value: unknown, least: number): void {
  check(
    Number.isSafeInteger(value) && (value as number) >= least,
    `${name} must be a whole number from ${least} on.`,
  )
}

function share(name: string, value: unknown): void {
  check(typeof value === 'number' && value >= 0 && value <= 1, `${name} must be a share from 0 to 1.`)
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new StoreError('INVALID_CONFIG', message)
}
