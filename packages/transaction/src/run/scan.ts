import { type Entry, isEntry, isStoreError, type Mutation, type ScanRange } from '@unikv/core'
import { compareKeys } from '@unikv/core/adapter'
import { Step } from '../layer/step.ts'
import type { Ending } from '../log/log.ts'
import type { Listing, Parts, Share } from './participant.ts'

/** A record as a listing of the store has found it. */
export interface Listed {
  readonly key: string
  readonly entry: Entry<unknown>
}

/**
 * List records of a store as they are committed, at most so many.
 *
 * @throws {StoreError} of the first record that cannot be read
 */
export async function list(
  { participant }: Share,
  range: ScanRange,
  most: number,
  step: Step,
  call: Ending,
): Promise<readonly Listed[]> {
  const listed: Listed[] = []
  if (most === 0) return listed
  for await (const { entries } of participant.scan(range, step, call))
    for (const { key, entry } of entries) {
      if (isStoreError(entry)) throw entry
      if (!isEntry(entry)) continue
      listed.push({ key, entry })
      if (listed.length >= most) return listed
    }
  return listed
}

/** The listing of these records. */
export function listingOf(range: ScanRange, listed: readonly Listed[], isCut: boolean): Listing {
  return { range, found: new Map(listed.map(({ key, entry }) => [key, entry.version])), isCut }
}

/** Whether all listings of an attempt would find the same records now. */
export async function areListedStill({ attempt, shares }: Parts, call: Ending): Promise<boolean> {
  const step = new Step('validate', attempt)
  const answers = await Promise.all(
    shares.flatMap((share) => share.listings.map((listing) => isListedStill(share, listing, step, call))),
  )
  return !answers.includes(false)
}

async function isListedStill(
  share: Share,
  { range, found, isCut }: Listing,
  step: Step,
  call: Ending,
): Promise<boolean> {
  try {
    const now = await list(share, range, isCut ? found.size : found.size + 1, step, call)
    return (
      now.length === found.size &&
      now.every(({ key, entry }) => found.has(key) && found.get(key) === entry.version)
    )
  } catch (error) {
    if (isStoreError(error) && error.code === 'CONDITION_FAILED') return false
    throw error
  }
}

/** The listed records, with the transaction's own changes: canonical keys and values, in the order of the listing. */
export function withOwn(
  listed: readonly Listed[],
  own: readonly Mutation<unknown>[],
  { range, isCut }: Pick<Listing, 'range' | 'isCut'>,
): readonly (readonly [string, unknown])[] {
  const values = new Map(listed.map(({ key, entry }) => [key, entry.value]))
  if (own.length === 0) return [...values]
  const sign = range.reverse === true ? -1 : 1
  const last = listed.at(-1)?.key
  // Beyond the last one others may stand that were not listed.
  const isKnown = (key: string): boolean =>
    !isCut || (last !== undefined && sign * compareKeys(key, last) <= 0)
  for (const change of own)
    if (change.type === 'delete') values.delete(change.key)
    else if (change.type === 'set' && isKnown(change.key)) values.set(change.key, change.value)
  return [...values].sort(([a], [b]) => sign * compareKeys(a, b))
}

/** Whether a canonical key is one that a range lists. */
export function isInRange(key: string, { prefix, gte, lt }: ScanRange): boolean {
  return (
    key.startsWith(prefix) &&
    (gte === undefined || compareKeys(key, gte) >= 0) &&
    (lt === undefined || compareKeys(key, lt) < 0)
  )
}
