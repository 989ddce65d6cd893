import { writeFile } from 'node:fs/promises'
import { StoreError } from '@unikv/core'
import { isBytes } from '@unikv/core/platform'
import { printable } from '../printable.ts'
import type { Terminal } from '../terminal.ts'
import { type DataOptions, overThere, scanning } from './over.ts'
import { jsonText, shown } from './values.ts'

/** `unikv get`: returns whether all keys were there. */
export function get(
  place: string,
  keys: readonly string[],
  options: DataOptions & { readonly out?: string },
  { out, error, drained = always, width }: Terminal,
): Promise<boolean> {
  if (options.out !== undefined && (keys.length > 1 || options.json === true))
    throw new StoreError('INVALID_ARGUMENT', '--out is for the value of one key, without --json.')
  return overThere(place, options, async (kv) => {
    let areThere = true
    for (const key of keys) {
      if (!(await drained())) return areThere
      const entry = await kv.getEntry(key)
      if (entry === undefined) {
        areThere = false
        error(`unikv: There is no record with the key ${JSON.stringify(key)}.\n`)
      } else if (options.json === true) out(`${jsonText({ key, ...entry })}\n`)
      else if (options.out === undefined) out(`${printable(shown(entry.value), width)}\n`)
      else await written(options.out, rawOf(entry.value))
    }
    return areThere
  })
}

/** `unikv scan`: keys, or entries, one a line. */
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
  { out, drained = always, width }: Terminal,
): Promise<void> {
  const { prefix, from: gte, to: lt, limit, reverse, values, json } = options
  const settings = Object.fromEntries(
    Object.entries({ prefix, gte, lt, limit, reverse }).filter(([, value]) => value !== undefined),
  )
  return overThere(place, options, async (kv) => {
    const scans = scanning(kv)
    const keyOf = (key: string): string => printable(key, width, 'key')
    if (values === true)
      for await (const [key, entry] of scans.entries(settings)) {
        if (!(await drained())) return
        if (json === true) out(`${jsonText({ key, ...entry })}\n`)
        else out(`${keyOf(key)}\t${printable(shown(entry.value), width)}\n`)
      }
    else
      for await (const key of scans.keys(settings)) {
        if (!(await drained())) return
        out(`${json === true ? JSON.stringify(key) : keyOf(key)}\n`)
      }
  })
}

/** `unikv count`. */
export function count(
  place: string,
  options: DataOptions & { readonly prefix?: string },
  { out }: Terminal,
): Promise<void> {
  return overThere(place, options, async (kv) => {
    const found = await scanning(kv).count(options.prefix === undefined ? {} : { prefix: options.prefix })
    out(options.json === true ? `${JSON.stringify({ count: found })}\n` : `${found}\n`)
  })
}

async function always(): Promise<boolean> {
  return true
}

async function written(file: string, value: string | Uint8Array): Promise<void> {
  await writeFile(file, value).catch((cause: NodeJS.ErrnoException) => {
    throw new StoreError('INVALID_ARGUMENT', `The file ${file} cannot be written (${cause.code}).`, { cause })
  })
}

function rawOf(value: unknown): string | Uint8Array {
  return isBytes(value) ? value : shown(value)
}
