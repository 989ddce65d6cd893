import { resolve } from 'node:path'
import {
  flag,
  invalidConfig,
  label,
  type OptionsOf,
  oneOf,
  ownClock,
  plainName,
  readOptions,
  type SettingsOf,
  whole,
} from '@unikv/core/adapter'

/** Longest path of the directory in bytes. A whole path may have 4,096; dataset, folder and file name take the rest. */
const maxDirectoryBytes = 3_800

const table = {
  /** Folder in which datasets are. Made on the first write if it is not there. */
  directory: folder,
  /** Name of the dataset: a folder of its own in `directory`. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  dataset: plainName('unikv'),
  /**
   * The failure that an acknowledged write survives. `flushed`: a crash of the machine. `buffered`: a crash of the process
   * alone, and a crash of the machine may damage records that were written shortly before, older values of them
   * included; that is why it is not the default. @default 'flushed'
   */
  durability: oneOf('flushed', ['flushed', 'buffered']),
  /**
   * Answer every call at once, without promises, while the event loop waits for the disk. For scripts and for
   * `sync(kv)`, not for servers. @default false
   */
  sync: flag(false),
  /** Make the folder of the dataset on the first write; `false`: `NOT_PREPARED` if it is not there. @default true */
  prepare: flag(true),
  /** Most records that are read and written at the same time: each takes one open file, and none a connection. @default 32 */
  maxInFlight: whole(32),
  /** Wall clock in milliseconds, for expiry. @default Date.now */
  clock: ownClock(),
  /** For errors and reports. @default 'file' */
  name: label('file'),
}

/** Settings of the file store. */
export interface FileOptions extends OptionsOf<typeof table> {}

/** The settings with defaults applied. */
export type FileSettings = SettingsOf<typeof table>

/** Check the settings. @throws {StoreError} `INVALID_CONFIG` */
export function fileSettings(options: FileOptions): FileSettings {
  return readOptions('file', table, options)
}

function folder(directory: string): string {
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0'))
    throw invalidConfig('directory must be the path of a folder.')
  const path = resolve(directory)
  if (Buffer.byteLength(path) > maxDirectoryBytes) throw invalidConfig('The path of directory is too long.')
  return path
}
