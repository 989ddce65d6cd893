import { StoreError } from '@unikv/core'
import { checkMs as checkMilliseconds } from '@unikv/core/adapter'
import type { RenewalOptions } from './loads/renewal-options.ts'

/** The time options of every cache. All durations are milliseconds; `Infinity` is allowed. */
export interface FreshnessOptions extends RenewalOptions {
  /**
   * How long an entry is answered without asking what lies below, from the moment at which it was asked for.
   * Writes through this cache end it at once; this bounds what writers elsewhere can do unseen. A record's own
   * expiry ends it too.
   */
  readonly freshForMs?: number | undefined
  /**
   * How long an entry that is no longer fresh is kept, to be revalidated: the store is asked only whether the
   * version changed. Without effect over stores that do not declare `conditionalRead`.
   */
  readonly keepForMs?: number | undefined
  /** How long *absent* is answered without asking. @default 0: absent keys are asked for each time */
  readonly absentForMs?: number | undefined
  /**
   * Longest wait of a reader for a load that another one began, which may hang; then it loads by itself. A reader who
   * has 100 ms or more keeps half of that for a load of its own in any case. @default Infinity: half of its time
   */
  readonly joinMs?: number | undefined
  /** Name of the tier in `meta.tier` of results and in `stats`. */
  readonly tier?: string | undefined
  /** Wall clock in milliseconds, for the expiry of records. @default Date.now */
  readonly clock?: (() => number) | undefined
}

/** All of it is there. */
export type Resolved<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> }

/** @throws {StoreError} `INVALID_CONFIG` */
export function checkBackground(background: unknown): void {
  if (background !== undefined && typeof background !== 'function')
    throw invalid('background must be a function that takes a promise.')
}

/** @throws {StoreError} `INVALID_CONFIG` */
export function checkOnWrite(onWrite: unknown): void {
  if (onWrite !== 'around' && onWrite !== 'through') throw invalid("onWrite must be 'around' or 'through'.")
}

/** @throws {StoreError} `INVALID_CONFIG` */
export function checkSoftTimeout(settings: {
  readonly softTimeoutMs: number
  readonly staleIfErrorMs: number
}): void {
  if (settings.softTimeoutMs === Number.POSITIVE_INFINITY || settings.staleIfErrorMs > 0) return
  throw invalid(
    'softTimeoutMs needs staleIfErrorMs: without that no stale entry stands in for a load that takes its time.',
  )
}

/** @throws {StoreError} `INVALID_CONFIG` */
export function checkDurations(
  settings: Required<Pick<FreshnessOptions, 'freshForMs' | 'keepForMs' | 'absentForMs'>>,
): void {
  const { freshForMs, keepForMs, absentForMs } = settings
  checkMs({ freshForMs, keepForMs, absentForMs })
}

/** Durations may be 0: *at once*. @throws {StoreError} `INVALID_CONFIG` */
export function checkMs(durations: Readonly<Record<string, unknown>>): void {
  checkMilliseconds(durations, { least: 0 })
}

/** An option that cannot be meant. */
export function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
