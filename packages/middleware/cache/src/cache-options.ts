import { StoreError } from '@unikv/core'
import { ms, type OptionsOf, ownClock } from '@unikv/core/adapter'
import type { renewalTable } from './loads/renewal-options.ts'

/** Durations may be 0: *at once*. */
export const fromNow = { least: 0 }

export const freshnessTable = {
  /** How long *absent* is answered without asking. @default 0: absent keys are asked for each time */
  absentForMs: ms(0, fromNow),
  /**
   * Longest wait of a reader for a load that another one began, which may hang; then it loads by itself. A reader with
   * 100 ms or more keeps half of that for a load of its own in any case. @default Infinity: half of its time
   */
  joinMs: ms(Number.POSITIVE_INFINITY, fromNow),
  /** Wall clock in milliseconds, for the expiry of records. @default Date.now */
  clock: ownClock(),
}

/** The time options of every cache. All durations are milliseconds; `Infinity` is allowed. */
export interface FreshnessOptions extends OptionsOf<typeof freshnessTable>, OptionsOf<typeof renewalTable> {}

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

/** An option that cannot be meant. */
export function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
