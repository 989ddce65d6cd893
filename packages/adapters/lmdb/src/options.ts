import { resolve } from 'node:path'
import { StoreError } from '@unikv/core'
import { checkFactoryOptions, type OptionNames, ownNumbers } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'

/** Settings of the LMDB store. */
export interface LmdbOptions {
  /** Folder of the data file, made on the first write; with an extension (`data.mdb`): the file itself. */
  readonly path: string
  /** Name of the dataset: a database of its own in the environment. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly dataset?: string | undefined
  /**
   * The failure that an acknowledged write survives. `flushed`: a crash of the machine. `buffered`: a crash of the process
   * alone, many times faster; a crash of the machine may damage the whole file. @default 'flushed'
   */
  readonly durability?: 'flushed' | 'buffered' | undefined
  /**
   * Answer writes at once too, without promises, while the event loop waits for the disk. For scripts and for
   * `sync(kv)`, not for servers. Reads answer at once in any case. @default false
   */
  readonly sync?: boolean | undefined
  /** Make the environment and the dataset on the first write; `false`: `NOT_PREPARED` if not there. @default true */
  readonly prepare?: boolean | undefined
  /**
   * Only read: nothing is made, and writes are `ACCESS_DENIED`. Works on a read-only file system, where the files must be
   * such that nobody writes. @default false
   */
  readonly readOnly?: boolean | undefined
  /**
   * Most bytes of the dataset's pages (4 KiB each on most machines). A write that would take more is refused
   * with `STORE_FULL`. @default Infinity
   */
  readonly maxBytes?: number | undefined
  /** Wall clock in milliseconds, for expiry. @default Date.now */
  readonly clock?: (() => number) | undefined
  /** For errors and reports. @default 'lmdb' */
  readonly name?: string | undefined
}

/** The settings with defaults applied. */
export interface LmdbSettings {
  readonly path: string
  readonly dataset: string
  readonly durability: 'flushed' | 'buffered'
  readonly sync: boolean
  readonly prepare: boolean
  readonly readOnly: boolean
  readonly maxBytes: number
  readonly clock: () => number
  readonly name: string
}

const optionNames: OptionNames<LmdbOptions> = {
  path: true,
  dataset: true,
  durability: true,
  sync: true,
  prepare: true,
  readOnly: true,
  maxBytes: true,
  clock: true,
  name: true,
}

/** Check the settings. @throws {StoreError} `INVALID_CONFIG` */
export function lmdbSettings(options: LmdbOptions): LmdbSettings {
  checkFactoryOptions('lmdb', options, optionNames)
  const { path, dataset = 'unikv', durability = 'flushed', maxBytes = Number.POSITIVE_INFINITY } = options
  if (typeof path !== 'string' || path === '' || path.includes('\0'))
    throw invalid('path must be the folder of the data file.')
  if (!/^[a-z][a-z0-9_]{0,47}$/.test(dataset))
    throw invalid(
      'dataset must be a lower-case letter followed by up to 47 lower-case letters, digits and underscores.',
    )
  if (durability !== 'flushed' && durability !== 'buffered')
    throw invalid("durability must be 'flushed' or 'buffered'.")
  if (!(maxBytes > 0)) throw invalid('maxBytes must be above 0.')
  const { sync = false, prepare = true, readOnly = false, name = 'lmdb' } = options
  if (typeof readOnly !== 'boolean') throw invalid('readOnly must be true or false.')
  const clock = ownNumbers('lmdb', 'clock', options.clock, wallClock)
  return {
    path: resolve(path),
    dataset,
    durability,
    maxBytes,
    sync,
    prepare: prepare && !readOnly,
    readOnly,
    clock,
    name,
  }
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
