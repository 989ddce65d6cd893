import type { ErrorCode } from '@unikv/core'
import {
  any,
  checkFactoryOptions,
  flag,
  func,
  ms,
  type OptionsOf,
  readCall,
  type SettingsOf,
  whole,
} from '@unikv/core/adapter'

const table = {
  /** Where an earlier sweep stopped: `cursor` of its last progress. @default from the start */
  cursor: any<string>(),
  /** Most records that are written at once. @default 8 */
  concurrency: whole(8),
  /** Most records that are asked for, and held, at once. @default 100 */
  pageSize: whole(100),
  /** Deadline of each call to the store, in milliseconds. @default 5,000 */
  timeoutMs: ms(5_000),
  /** Ends the sweep: it rejects with `ABORTED`, and the cursor of the last progress goes on from there. */
  signal: any<AbortSignal>(),
  /** Called after each page with what was done until then. The cursor in it is good in another process. */
  onProgress: func<(report: ReencryptReport) => void>(),
  /** Only look: count the records by key, and write nothing. @default false */
  dryRun: flag(false),
  /**
   * Write over a store that checks no versions (`conditionalWrite: false`). Then no other process may write meanwhile: a
   * newer value would be lost.
   *
   * @default false
   */
  unconditional: flag(false),
}

/** Settings of a sweep. */
export interface ReencryptOptions extends OptionsOf<typeof table> {}

/**
 * The settings with their defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG` for an unknown option, `INVALID_ARGUMENT` for one that cannot be
 */
export function settingsOf(options: ReencryptOptions): SettingsOf<typeof table> {
  checkFactoryOptions('reencrypt', options, table)
  return readCall('reencrypt', table, options)
}

/** The result of a sweep. */
export interface ReencryptReport {
  /** Records that were looked at, internal ones (of chunks, deltas, tags) too. */
  readonly scanned: number
  /** Sealed again; with `dryRun`: that would be. */
  readonly rewritten: number
  /** Sealed as they should be, or gone or replaced meanwhile. */
  readonly skipped: number
  /** Left as they were, with an error. */
  readonly failed: number
  /** The failures by error code. */
  readonly failures: Readonly<Partial<Record<ErrorCode, number>>>
  /** How many records were found sealed by which key, by key identifier; `''`: not encrypted. */
  readonly keys: Readonly<Record<string, number>>
  /** Position after these records; `undefined`: there are no more. */
  readonly cursor: string | undefined
}
