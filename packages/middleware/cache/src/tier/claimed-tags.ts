import { type Bytes, isConditionFailed, isWritten } from '@unikv/core'
import type { Seen } from './seen.ts'
import type { Wanted } from './tier.ts'
import type { TierStore } from './tier-store.ts'
import type { TierWait } from './tier-wait.ts'

/** State of the tags of a key before it is loaded; `undefined`: keys have no tags here. */
export type ClaimedTags = Seen | 'held' | 'unknown' | undefined

/** Whether a load may be kept that begins now. */
export function isKnown(tags: ClaimedTags): tags is Seen | undefined {
  return typeof tags !== 'string'
}

/**
 * State of the tags of these keys. Missing tag records are made first, and the call waits for that, as
 * the loads must begin later. `'held'`: somebody else was faster; `'unknown'`: it is not sure that they are there.
 */
export async function tagsOfClaims(
  wanted: readonly Wanted[],
  store: TierStore,
  wait: TierWait,
): Promise<readonly ClaimedTags[]> {
  const { tags } = store
  const missing = Array.from(new Set(wanted.flatMap(({ slot: { seen } }) => seen?.missing ?? [])))
  if (tags === undefined || missing.length === 0) return wanted.map(({ slot }) => slot.seen)
  const made = new Map<string, Bytes>()
  const refused = new Set<string>()
  const records = missing.map((key) => tags.replacing(key, null))
  const results = await store.writeInTime(records, wait)
  for (const [i, { key, value }] of records.entries()) {
    const result = results[i]
    if (result !== undefined && isWritten(result)) made.set(key, value)
    else if (result !== undefined && isConditionFailed(result)) refused.add(key)
  }
  return wanted.map(({ slot: { seen } }) => {
    if (seen === undefined || seen.missing.every((key) => made.has(key))) return seen?.with(made)
    return seen.missing.some((key) => refused.has(key)) ? 'held' : 'unknown'
  })
}
