import { StoreError } from '@unikv/core'
import { adapterOf } from '@unikv/core/adapter'
import { writeWhole } from '@unikv/core/files'
import { isBytes, isError } from '@unikv/core/platform'
import { keyText } from '../copy/key-text.ts'
import { exitCodeOf, exitCodes, isDamage } from '../exit-code.ts'
import { unwritable } from '../output-folder.ts'
import { printable } from '../printable.ts'
import { isUrl } from '../same-place.ts'
import type { Terminal } from '../terminal.ts'
import { type DataOptions, overThere, type Records, scanning } from './over.ts'
import { jsonText, shown } from './values.ts'
import { whatIsThere } from './what-is-there.ts'

/** `unikv get`: returns the exit code: a failure if a key is not there, or that of the last value that cannot be read. */
export function get(
  place: string,
  keys: readonly string[],
  options: DataOptions & { readonly out?: string },
  { out, error, drained = always, width }: Terminal,
): Promise<number> {
  if (options.out !== undefined && (keys.length > 1 || options.json === true))
    throw new StoreError('INVALID_ARGUMENT', '--out is for the value of one key, without --json.')
  return overThere(place, options, async (kv) => {
    if (options.out !== undefined) await refuseFileOf(kv, options.out)
    let exitCode: number = exitCodes.ok
    for (const key of keys) {
      if (!(await drained())) return exitCode
      const entry = await kv.getEntry(key).catch((failed: unknown) => {
        if (!isDamage(failed)) throw failed
        exitCode = exitCodeOf(failed)
        error(`unikv: ${printable(unreadableText(failed, place), width)}\n`)
        return failed
      })
      if (isError(entry)) continue
      if (entry === undefined) {
        exitCode ||= exitCodes.failure
        error(`unikv: There is no record with the key ${JSON.stringify(key)}.\n`)
      } else if (options.json === true) out(`${jsonText({ key, ...entry })}\n`)
      else if (options.out === undefined) out(`${printable(shown(entry.value), width)}\n`)
      else await written(options.out, rawOf(entry.value))
    }
    return exitCode
  })
}

/** `unikv scan`: keys, or entries, one a line. Returns the exit code: that of the last value that cannot be read. */
export function scan(
  place: string,
  options: DataOptions & {
    readonly prefix?: string
    readonly from?: string
    readonly to?: string
    readonly limit?: number
    readonly reverse?: true
    readonly values?: true
  },
  { out, error, drained = always, width }: Terminal,
): Promise<number> {
  const { prefix, from: gte, to: lt, limit, reverse, values, json } = options
  const settings = Object.fromEntries(
    Object.entries({ prefix, gte, lt, limit, reverse }).filter(([, value]) => value !== undefined),
  )
  return overThere(place, options, async (kv) => {
    const scans = scanning(kv)
    const keyOf = (key: string): string => printable(key, width, 'key')
    let isEmpty = prefix === undefined && gte === undefined && lt === undefined
    let exitCode: number = exitCodes.ok
    const onUnreadable = (failed: StoreError): void => {
      isEmpty = false
      exitCode = exitCodeOf(failed)
      error(`unikv: ${printable(unreadableText(failed, place), width)}\n`)
    }
    if (values === true)
      for await (const [key, entry] of scans.entries({ ...settings, onUnreadable })) {
        if (!(await drained())) return exitCode
        isEmpty = false
        if (json === true) out(`${jsonText({ key, ...entry })}\n`)
        else out(`${keyOf(key)}\t${printable(shown(entry.value), width)}\n`)
      }
    else
      for await (const key of scans.keys(settings)) {
        if (!(await drained())) return exitCode
        isEmpty = false
        out(`${json === true ? JSON.stringify(key) : keyOf(key)}\n`)
      }
    if (isEmpty) error(printable(await emptyText(kv), width))
    return exitCode
  })
}

/** `unikv count`. */
export function count(
  place: string,
  options: DataOptions & { readonly prefix?: string },
  { out, error, width }: Terminal,
): Promise<void> {
  return overThere(place, options, async (kv) => {
    const found = await scanning(kv).count(options.prefix === undefined ? {} : { prefix: options.prefix })
    out(options.json === true ? `${JSON.stringify({ count: found })}\n` : `${found}\n`)
    if (found === 0 && options.prefix === undefined) error(printable(await emptyText(kv), width))
  })
}

/** Message about a value that cannot be read: it names the key, and the way to have a value of another form as it is. */
function unreadableText({ code, message, key }: StoreError, place: string): string {
  const which = key === undefined ? '' : ` The key is ${keyText(key)}.`
  const how = isUrl(place) ? ' --as bytes shows it as it is.' : ' By its URL, --as bytes shows it as it is.'
  return `${message}${which}${code === 'CORRUPT' ? how : ''}`
}

/** A hint for a place without records, which may be the wrong one. */
async function emptyText(kv: Records): Promise<string> {
  const instead = await whatIsThere(kv)
  return `unikv: ${kv.name} has no records here.${instead === undefined ? '' : ` ${instead}`}\n`
}

async function always(): Promise<boolean> {
  return true
}

async function refuseFileOf(kv: Records, file: string): Promise<void> {
  const { refuseOwnFile } = await import('@unikv/snapshot')
  await refuseOwnFile(adapterOf(kv), file)
}

async function written(file: string, value: string | Uint8Array): Promise<void> {
  await writeWhole(file, value).catch((cause: NodeJS.ErrnoException) => {
    throw unwritable(file, cause)
  })
}

function rawOf(value: unknown): string | Uint8Array {
  return isBytes(value) ? value : shown(value)
}
