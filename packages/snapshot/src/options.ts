import {
  any,
  checkFactoryOptions,
  flag,
  listener,
  ms,
  type OptionsOf,
  oneOf,
  positive,
  readCall,
  type SettingsOf,
  whole,
} from '@unikv/core/adapter'
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

/** How blocks may be compressed. */
const compressions = ['gzip', 'brotli', 'zstd', 'none'] as const
/** How blocks are compressed. */
export type Compression = (typeof compressions)[number]

const toolTable = {
  /** Ends the work between two pages. */
  signal: any<AbortSignal>(),
  /** Deadline of one call of a store, in milliseconds. @default 30,000 */
  timeoutMs: ms(30_000),
  /** Most records a second, in copying and in comparing. @default as many as the stores take */
  recordsPerSecond: positive(undefined),
  /** Told after each page. */
  onProgress: listener<Progress>(),
}

const sourceTable = {
  /** Take a source without records for right. Otherwise it is an error: it may be the wrong one. @default false */
  allowEmpty: flag(false),
}

const fillTable = {
  /** Write into a target that has records: those with the same keys are replaced, others stay. @default false */
  overwrite: flag(false),
  /** Go on where the same work stopped. Without anything to go on with, an empty target is filled from the start. @default false */
  resume: flag(false),
  /** Keep records for ever, also those that expire in the source. @default false: a target whose records cannot expire is refused */
  dropExpiry: flag(false),
  /** Read the target again, and compare. @default true */
  verify: flag(true),
}

const countTable = {
  /** Count the keys of the source first, so that progress has a total. @default false */
  count: flag(false),
}

const restoreTable = {
  /** The keys that it was encrypted with. A snapshot that is not encrypted is then refused. */
  keys: any<Keyring | KmsKeys>(),
  /** Longest block that is read, in bytes: it is held in memory. A block is longer than 256 Ki only for a long value. @default 1,073,741,824 */
  maxBlockBytes: whole(1_073_741_824),
}

const snapshotTable = {
  /** Encrypt it. @default not */
  keys: any<Keyring | KmsKeys>(),
  /**
   * Compression together with encryption shows in lengths how alike the data is; say it out loud if that does no harm.
   *
   * @default 'gzip', with `keys` 'none'
   */
  compression: oneOf<Compression, undefined>(undefined, compressions),
  /** Replace a file that is there. @default false */
  overwrite: flag(false),
}

/** Settings of all tools. */
export interface ToolOptions extends OptionsOf<typeof toolTable> {}

/** Settings of tools that take all records of a source. */
export interface SourceOptions extends ToolOptions, OptionsOf<typeof sourceTable> {}

/** Settings of `copy` and `restore`. */
export interface FillOptions extends SourceOptions, OptionsOf<typeof fillTable> {}

/** Settings of `copy`. */
export interface CopyOptions extends FillOptions, OptionsOf<typeof countTable> {}

/** Settings of `restore`. */
export interface RestoreOptions extends FillOptions, OptionsOf<typeof restoreTable> {}

/** Settings of `snapshot`. */
export interface SnapshotOptions
  extends SourceOptions,
    OptionsOf<typeof countTable>,
    OptionsOf<typeof snapshotTable> {}

const tables = {
  copy: { ...toolTable, ...sourceTable, ...fillTable, ...countTable },
  restore: { ...toolTable, ...sourceTable, ...fillTable, ...restoreTable },
  snapshot: { ...toolTable, ...sourceTable, ...countTable, ...snapshotTable },
}

/**
 * The settings of a tool, with defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG` for an unknown option, `INVALID_ARGUMENT` for one that cannot be
 */
export function settingsOf<T extends keyof typeof tables>(
  tool: T,
  options: unknown,
): SettingsOf<(typeof tables)[T]> {
  checkFactoryOptions(tool, options, tables[tool])
  return readCall(tool, tables[tool], options)
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
