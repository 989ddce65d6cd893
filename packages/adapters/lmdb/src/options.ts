import { resolve } from 'node:path'
import {
  flag,
  invalidConfig,
  label,
  type OptionsOf,
  oneOf,
  ownClock,
  plainName,
  positive,
  readOptions,
  type SettingsOf,
} from '@unikv/core/adapter'

const table = {
  /** Folder of the data file, made on the first write; with an extension (`data.mdb`): the file itself. */
  path: place,
  /** Name of the dataset: a database of its own in the environment. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  dataset: plainName('unikv'),
  /**
   * The failure that an acknowledged write survives. `flushed`: a crash of the machine. `buffered`: a crash of the process
   * alone, many times faster; a crash of the machine may damage the whole file. @default 'flushed'
   */
  durability: oneOf('flushed', ['flushed', 'buffered']),
  /**
   * Answer writes at once too, without promises, while the event loop waits for the disk: each write is a commit of its own.
   * For scripts, for `sync(kv)` and `threads`, not for servers. Reads answer at once in any case. @default false
   */
  sync: flag(false),
  /** Make the environment and the dataset on the first write; `false`: `NOT_PREPARED` if not there. @default true */
  prepare: flag(true),
  /**
   * Only read: nothing is made, and writes are `ACCESS_DENIED`. Works on a read-only file system, whose files no process
   * may write. @default false
   */
  readOnly: flag(false),
  /**
   * Most bytes of the dataset's pages (4 KiB each on most machines). A write that would take more is refused
   * with `STORE_FULL`. @default Infinity
   */
  maxBytes: positive(Number.POSITIVE_INFINITY),
  /** Wall clock in milliseconds, for expiry. @default Date.now */
  clock: ownClock(),
  /** For errors and reports. @default 'lmdb' */
  name: label('lmdb'),
}

/** Settings of the LMDB store. */
export interface LmdbOptions extends OptionsOf<typeof table> {}

/** The settings with defaults applied. */
export type LmdbSettings = SettingsOf<typeof table>

/** Check the settings. @throws {StoreError} `INVALID_CONFIG` */
export function lmdbSettings(options: LmdbOptions): LmdbSettings {
  const settings = readOptions('lmdb', table, options)
  return { ...settings, prepare: settings.prepare && !settings.readOnly }
}

function place(path: string): string {
  if (typeof path !== 'string' || path === '' || path.includes('\0'))
    throw invalidConfig('path must be the folder of the data file.')
  return resolve(path)
}
