/** Statistics of saving the hottest part of a cache and loading it back: plain numbers. */
export interface WarmStats {
  /** Entries that were loaded back. */
  readonly loaded: number
  /** Records, and entries of them, that were not taken: foreign, torn, changed, too old. */
  readonly refusals: number
  /** Saves that were finished. */
  readonly saves: number
  /** Entries of the last one. */
  readonly saved: number
  /** Entries that the last one left out, as the codec does not give them back as they were, or they are too large. */
  readonly leftOut: number
  /** Loads and saves that the store failed. */
  readonly errors: number
}

/** The counters behind `WarmStats`. */
export type WarmCounters = { -readonly [K in keyof WarmStats]: number }

/** Counters at 0. */
export function newWarmCounters(): WarmCounters {
  return { loaded: 0, refusals: 0, saves: 0, saved: 0, leftOut: 0, errors: 0 }
}
