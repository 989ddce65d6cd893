import type { Keyring, KmsKeys } from '@unikv/encryption'

/** How far a copy, a snapshot or a restore is. */
export interface Progress {
  /**
   * `count`: keys of the source; `check`: the snapshot is verified; `copy`: records are on their way; `verify`: they are read again;
   * `extras`: keys of the target are looked up in the source.
   */
  readonly phase: 'count' | 'check' | 'copy' | 'verify' | 'extras'
  readonly records: number
  readonly bytes: number
  /** How many records there will be, if that is known. */
  readonly total: number | undefined
}

/** Settings of all tools. */
export interface ToolOptions {
  /** Ends the work between two pages. */
  readonly signal?: AbortSignal | undefined
  /** Deadline of one call of a store, in milliseconds. @default 30000 */
  readonly timeoutMs?: number | undefined
  /** Most records a second, in copying and in comparing. @default as many as the stores take */
  readonly recordsPerSecond?: number | undefined
  /** Told after each page. */
  readonly onProgress?: ((progress: Progress) => unknown) | undefined
}

/** Settings of tools that take all records of a source. */
export interface SourceOptions extends ToolOptions {
  /** Take a source without records for right. Otherwise it is an error: it may be the wrong one. @default false */
  readonly allowEmpty?: boolean | undefined
}

/** Settings of `copy` and `restore`. */
export interface FillOptions extends SourceOptions {
  /** Write into a target that has records: those with the same keys are replaced, others stay. @default false */
  readonly overwrite?: boolean | undefined
  /** Go on where the same work stopped. Without anything to go on with, an empty target is filled from the start. @default false */
  readonly resume?: boolean | undefined
  /** Keep records for ever, also those that expire in the source. @default false: a target whose records cannot expire is refused */
  readonly dropExpiry?: boolean | undefined
  /** Read the target again, and compare. @default true */
  readonly verify?: boolean | undefined
}

/** Settings of `copy`. */
export interface CopyOptions extends FillOptions {
  /** Count the keys of the source first, so that progress has a total. @default false */
  readonly count?: boolean | undefined
}

/** Settings of `restore`. */
export interface RestoreOptions extends FillOptions {
  /** The keys that it was encrypted with. A snapshot that is not encrypted is then refused. */
  readonly keys?: Keyring | KmsKeys | undefined
  /** Longest block that is read, in bytes: it is held in memory. A block is longer than 256 Ki only for a long value. @default 1 Gi */
  readonly maxBlockBytes?: number | undefined
}

/** Settings of `snapshot`. */
export interface SnapshotOptions extends SourceOptions {
  /** Encrypt it. @default not */
  readonly keys?: Keyring | KmsKeys | undefined
  /**
   * Compression together with encryption shows in lengths how alike the data is; say it out loud if that does no harm.
   *
   * @default 'gzip', with `keys` 'none'
   */
  readonly compression?: 'gzip' | 'brotli' | 'zstd' | 'none' | undefined
  /** Replace a file that is there. @default false */
  readonly overwrite?: boolean | undefined
  /** Count the keys first, so that progress has a total. @default false */
  readonly count?: boolean | undefined
}

/** Differences between a target and its source. */
export interface Verification {
  /** Records of the source that were compared. */
  readonly compared: number
  readonly missing: number
  /** With another value, or another expiry by more than the stores can tell apart. */
  readonly different: number
  /** Records that the source does not have; `undefined` if the target cannot list its keys, or more are wanted (`overwrite`). */
  readonly extra: number | undefined
  /** Some of the keys, in their canonical form. */
  readonly examples: {
    readonly missing: readonly string[]
    readonly different: readonly string[]
    readonly extra: readonly string[]
  }
}

/** The outcome of `copy` or `restore`. */
export interface FillReport {
  /** Records that were written, those of an earlier start included. */
  readonly records: number
  /** Bytes of their keys and values. */
  readonly bytes: number
  /** Records that were left out, as they had run out of time. */
  readonly expired: number
  /** Whether it went on with an earlier start. */
  readonly isResumed: boolean
  /** Milliseconds that it took; of one that went on, those since then. */
  readonly elapsedMs: number
  readonly verification: Verification | undefined
}

/** The outcome of `snapshot`. */
export interface SnapshotReport {
  readonly records: number
  /** Bytes of keys and values. */
  readonly bytes: number
  /** Length of the snapshot in bytes. */
  readonly fileBytes: number
  /** SHA-256 over the whole content, in hexadecimal: the same content gives the same one, encrypted or not. */
  readonly checksum: string
}
