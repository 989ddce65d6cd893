import type { ErrorCode } from '@unikv/core'

/** Settings of a sweep. */
export interface ReencryptOptions {
  /** Where an earlier sweep stopped: `cursor` of its last progress. @default from the start */
  readonly cursor?: string | undefined
  /** Most records that are written at once. @default 8 */
  readonly concurrency?: number | undefined
  /** Most records that are asked for, and held, at once. @default 100 */
  readonly pageSize?: number | undefined
  /** Deadline of each call to the store, in milliseconds. @default 5000 */
  readonly timeoutMs?: number | undefined
  /** Ends the sweep: it rejects with `ABORTED`, and the cursor of the last progress goes on from there. */
  readonly signal?: AbortSignal | undefined
  /** Called after each page with what was done until then. The cursor in it is good in another process. */
  readonly onProgress?: ((report: ReencryptReport) => void) | undefined
  /** Only look: count the records by key, and write nothing. @default false */
  readonly dryRun?: boolean | undefined
  /**
   * Write over a store that checks no versions (`conditionalWrite: false`). Then no other process may write meanwhile: a
   * newer value would be lost.
   *
   * @default false
   */
  readonly unconditional?: boolean | undefined
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
