import { formatExact } from '@unikv/bench/words'
import { StoreError } from '@unikv/core'
import { restore, type SnapshotReport, snapshot } from '@unikv/snapshot'
import { closedAfter, openedPlace, type PlaceOptions } from '../data/place.ts'
import { exitCodes, isDamage } from '../exit-code.ts'
import { isUrl } from '../same-place.ts'
import type { Terminal } from '../terminal.ts'
import { type CommonOptions, type CopyOptions, fillOptions } from './copy.ts'
import { filled } from './filled.ts'
import { reported, sizeText } from './report.ts'
import { type KeySource, keysOf } from './snapshot-keys.ts'
import { work } from './work.ts'

/** Options of `unikv snapshot`. */
export interface SnapshotOptions extends CommonOptions, KeySource {
  readonly compression?: 'gzip' | 'brotli' | 'zstd' | 'none'
  readonly overwrite?: true
}

/** Options of `unikv restore`. */
export interface RestoreOptions extends CopyOptions, KeySource {}

/** For a pipe in place of a file. */
const standard = '-'

/** `unikv snapshot`: returns the exit code. */
export async function snapshotStore(
  store: string,
  file: string,
  options: SnapshotOptions,
  terminal: Terminal,
): Promise<number> {
  const { compression, overwrite, rate, allowEmpty } = options
  const to = file === standard ? piped(terminal.stdout, 'output') : file
  const keys = await keysOf(options)
  const place = await openedPlace(store, { ...placeOptions(store, options), prepare: false })
  return closedAfter(place, () =>
    work(terminal, (tool) =>
      filled(place.kv, async () => {
        const count = terminal.columns !== undefined
        const settings = { ...tool, keys, compression, overwrite, count, recordsPerSecond: rate, allowEmpty }
        const report = await snapshot(place.kv, to, settings)
        const print = file === standard ? terminal.error : terminal.out
        print(`${options.json === true ? JSON.stringify(report) : sentence(report)}\n`)
        return exitCodes.ok
      }),
    ),
  )
}

/** `unikv restore`: returns the exit code. */
export async function restoreStore(
  file: string,
  store: string,
  options: RestoreOptions,
  terminal: Terminal,
): Promise<number> {
  const from = file === standard ? piped(terminal.stdin, 'input') : file
  const keys = await keysOf(options)
  const place = await openedPlace(store, placeOptions(store, { config: options.config }))
  return closedAfter(place, async () => {
    try {
      return await work(terminal, (tool) =>
        filled(undefined, async () => {
          const report = await restore(from, place.kv, { ...tool, ...fillOptions(options), keys })
          return reported(terminal, options, 'Restored', report)
        }),
      )
    } catch (error) {
      // A snapshot that cannot be used is a wrong argument; the same error of a store is a failure of it.
      if (!isDamage(error) || error.store !== undefined) throw error
      terminal.error(`unikv: ${error.message}\n`)
      return exitCodes.wrongUse
    }
  })
}

function sentence({ records, bytes, fileBytes, checksum }: SnapshotReport): string {
  return `Wrote ${formatExact(records)} records (${sizeText(bytes)}) into ${sizeText(fileBytes)}.\nChecksum: ${checksum}`
}

/** A URL says nothing of its values. */
function placeOptions(
  store: string,
  { config, namespace }: { readonly config?: string | undefined; readonly namespace?: string | undefined },
): PlaceOptions {
  return {
    ...(isUrl(store) ? { as: 'bytes' } : {}),
    ...(config === undefined ? {} : { config }),
    ...(namespace === undefined ? {} : { namespace }),
  }
}

/** A pipe or a file. A person can neither type a snapshot nor read one. */
function piped<T extends object>(stream: T | undefined, which: 'input' | 'output'): T {
  if (stream !== undefined && 'isTTY' in stream && stream.isTTY === true)
    throw new StoreError(
      'INVALID_ARGUMENT',
      `A snapshot is not text, and standard ${which} is a terminal. Name a file, or use a pipe.`,
    )
  if (stream !== undefined) return stream
  throw new StoreError('INVALID_ARGUMENT', `There is no standard ${which}: name a file.`)
}
