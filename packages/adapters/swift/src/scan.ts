import {
  type Bytes,
  type CallOptions,
  isStoreError,
  type Page,
  type ScanEntry,
  type ScanRange,
} from '@unikv/core'
import { afterPrefix, compareKeys } from '@unikv/core/adapter'
import { decodeName, encodeName, justBelow } from './object-name.ts'
import { listedExpiry, type SwiftObjects } from './objects.ts'
import { read } from './read.ts'

/** Most names of a listing that every cluster gives. */
const maxListing = 1_000

/**
 * Pages of listings in the order of key bytes, each after the last name of the one before. Values take a request each.
 */
export async function* scanPages(
  objects: SwiftObjects,
  range: ScanRange,
  lanes: number,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  const limit = Math.min(range.pageSize, maxListing)
  const { prefix, gte, resume } = range
  const endMarker = endOf(range)
  let marker = resume ?? (gte === undefined || gte === '' ? undefined : justBelow(encodeName(gte)))
  do {
    const { names, now } = await objects.list({ prefix: encodeName(prefix), marker, endMarker, limit }, call)
    const keys = names
      .filter((one) => isLive(listedExpiry(one), now))
      .flatMap(({ name }) => decodeName(name) ?? [])
    marker = names.length < limit ? undefined : names.at(-1)?.name
    const entries = range.values ? await withValues(objects, keys, lanes, call) : keys.map((key) => ({ key }))
    yield { entries, resume: marker }
  } while (marker !== undefined)
}

/** Listings lag behind: what is gone by now is left out. */
async function withValues(
  objects: SwiftObjects,
  keys: readonly string[],
  lanes: number,
  call: CallOptions,
): Promise<ScanEntry<Bytes>[]> {
  const results = await read(
    objects,
    keys.map((key) => ({ key })),
    lanes,
    call,
  )
  return keys.flatMap((key, i) => {
    const entry = results[i]
    if (entry === undefined || (!isStoreError(entry) && 'notModified' in entry)) return []
    return [{ key, entry }]
  })
}

function isLive(endsAt: number | undefined, now: number): boolean {
  return endsAt !== undefined && (endsAt === 0 || endsAt > now)
}

function endOf({ prefix, lt }: ScanRange): string | undefined {
  const beyond = afterPrefix(prefix)
  const isNearer = beyond === undefined || (lt !== undefined && compareKeys(lt, beyond) < 0)
  return lt !== undefined && isNearer ? encodeName(lt) : undefined
}
