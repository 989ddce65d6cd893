import { resolve } from 'node:path'
import { StoreError } from '@unikv/core'
import { checkFactoryOptions, type OptionNames, ownNumbers } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'

/** Settings of the file store. */
export interface FileOptions {
  /** Folder in which datasets are. Made on the first write if it is not there. */
  readonly directory: string
  /** Name of the dataset: a folder of its own in `directory`. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly dataset?: string | undefined
  /**
   * The failure that an acknowledged write survives. `flushed`: a crash of the machine. `buffered`: a crash of the process
   * alone, and a crash of the machine may damage records that were written shortly before, older values of them
   * included; that is why it is not the default. @default 'flushed'
   */
  readonly durability?: 'flushed' | 'buffered' | undefined
  /**
   * Answer every call at once, without promises, while the event loop waits for the disk. For scripts and for
   * `sync(kv)`, not for servers. @default false
   */
  readonly sync?: boolean | undefined
  /** Make the folder of the dataset on the first write; `false`: `NOT_PREPARED` if it is not there. @default true */
  readonly prepare?: boolean | undefined
  /** Most records that are read and written at the same time: each takes one open file, and none a connection. @default 32 */
  readonly maxInFlight?: number | undefined
  /** Wall clock in milliseconds, for expiry. @default Date.now */
  readonly clock?: (() => number) | undefined
  /** For errors and reports. @default 'file' */
  readonly name?: string | undefined
}

/** The settings with defaults applied. */
export interface FileSettings {
  readonly directory: string
  readonly dataset: string
  readonly durability: 'flushed' | 'buffered'
  readonly sync: boolean
  readonly prepare: boolean
  readonly maxInFlight: number
  readonly clock: () => number
  readonly name: string
}

/** What is left of a path's 4,096 bytes for the directory, after dataset, folder and name. */
const maxDirectoryBytes = 3_800

const optionNames: OptionNames<FileOptions> = {
  directory: true,
  dataset: true,
  durability: true,
  sync: true,
  prepare: true,
  maxInFlight: true,
  clock: true,
  name: true,
}

/** Check the settings. @throws {StoreError} `INVALID_CONFIG` */
export function fileSettings(options: FileOptions): FileSettings {
  checkFactoryOptions('file', options, optionNames)
  const { directory, dataset = 'unikv', durability = 'flushed', maxInFlight = 32 } = options
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0'))
    throw invalid('directory must be the path of a folder.')
  const path = resolve(directory)
  if (Buffer.byteLength(path) > maxDirectoryBytes) throw invalid('The path of directory is too long.')
  if (!/^[a-z][a-z0-9_]{0,47}$/.test(dataset))
    throw invalid(
      'dataset must be a lower-case letter followed by up to 47 lower-case letters, digits and underscores.',
    )
  if (durability !== 'flushed' && durability !== 'buffered')
    throw invalid("durability must be 'flushed' or 'buffered'.")
  if (!Number.isSafeInteger(maxInFlight) || maxInFlight < 1)
    throw invalid('maxInFlight must be a whole number above 0.')
  const { sync = false, prepare = true, name = 'file' } = options
  const clock = ownNumbers('file', 'clock', options.clock, wallClock)
  return { directory: path, dataset, durability, maxInFlight, sync, prepare, clock, name }
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
