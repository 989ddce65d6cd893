import { parseDuration } from '@unikv/bench/engine'
import { type KeyValue, StoreError, type Supporting } from '@unikv/core'
import { maskUrl } from '@unikv/stores/lazy'
import type { Terminal } from '../terminal.ts'
import { type DataOptions, over, overThere, scanning } from './over.ts'
import { bytesOf, formed } from './values.ts'

/** `unikv set`. */
export async function set(
  place: string,
  key: string,
  value: string | undefined,
  options: DataOptions & {
    readonly file?: string
    readonly ttl?: string
    readonly ifAbsent?: true
    readonly ifVersion?: string
  },
  terminal: Terminal,
): Promise<void> {
  const { file, ttl, ifAbsent, ifVersion } = options
  if (ifAbsent === true && ifVersion !== undefined)
    throw new StoreError('INVALID_ARGUMENT', 'Choose --if-absent or --if-version, not both.')
  const ttlMs = ttl === undefined ? undefined : parseDuration(ttl)
  const bytes = await bytesOf({ value, file }, terminal)
  return over(place, options, async (kv, form) => {
    const stored = formed(bytes, form)
    const settings = {
      ...(ttlMs === undefined ? {} : { ttlMs }),
      ...(ifAbsent === true ? { ifVersion: null } : ifVersion === undefined ? {} : { ifVersion }),
    }
    const { version } = await kv.set(key, stored, settings as never)
    if (options.json === true) terminal.out(`${JSON.stringify({ key, version })}\n`)
  })
}

/** `unikv delete`: the keys that are named, or after a question those with a prefix, or all. */
export function remove(
  place: string,
  keys: readonly string[],
  options: DataOptions & { readonly prefix?: string; readonly all?: true; readonly yes?: true },
  terminal: Terminal,
): Promise<void> {
  const { prefix, all, yes, json } = options
  if (prefix === '')
    throw new StoreError('INVALID_ARGUMENT', '--prefix is empty. For all records, write --all.')
  if (Number(keys.length > 0) + Number(prefix !== undefined) + Number(all === true) !== 1)
    throw new StoreError('INVALID_ARGUMENT', 'Name keys, or --prefix, or --all.')
  return overThere(place, options, async (kv) => {
    if (keys.length > 0) {
      await kv.deleteMany(keys)
      if (json === true) terminal.out(`${JSON.stringify({ keys })}\n`)
      return
    }
    const what = prefix === undefined ? { all: true as const } : { prefix }
    const scans = scanning(kv)
    if (yes !== true) await confirmed(scans, prefix, place, terminal)
    const removed = await scans.clear(what)
    terminal.out(json === true ? `${JSON.stringify({ removed })}\n` : `Removed ${removed} records.\n`)
  })
}

async function confirmed(
  kv: KeyValue<string, unknown, Supporting<'scan'>>,
  prefix: string | undefined,
  place: string,
  { confirm }: Terminal,
): Promise<void> {
  const count = await kv.count(prefix === undefined ? {} : { prefix })
  const which = prefix === undefined ? 'all' : `with the prefix ${JSON.stringify(prefix)}`
  if (confirm === undefined)
    throw new StoreError(
      'INVALID_ARGUMENT',
      `This removes ${count} records (${which}). Without a terminal to ask, confirm it by --yes.`,
    )
  if (await confirm(`Remove ${count} records (${which}) of ${maskUrl(place)}?`)) return
  throw new StoreError('ABORTED', 'Nothing was removed.')
}
