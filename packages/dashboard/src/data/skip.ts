import type { Capabilities } from '@unikv/core'
import { compareKeys, type Records } from '@unikv/core/adapter'
import { monotonicClock } from '@unikv/core/platform'
import { badRequest } from '@unikv/http/parts'
import type { LevelPlace, LevelRange } from './level-place.ts'
import { type LevelItem, separatorOf, sorterOf } from './sorter.ts'

/** A part of a level. */
export interface LevelView {
  /** Where the level is: the request may have named no place. */
  readonly namespace: readonly string[]
  readonly prefix: string
  readonly items: readonly LevelItem[]
  /** Parts keys into groups; `undefined`: no key was seen that tells. */
  readonly separator: string | undefined
  /** How often the store was asked. */
  readonly reads: number
  /** Where the next part begins; `undefined`: this is the last. */
  readonly cursor: string | undefined
}

/** Whether a store lists in order from any key on, so that the keys of a group can be skipped. */
export function canSkip({ scan }: Capabilities): boolean {
  return scan !== false && scan.order === 'bytes' && scan.prefix === 'indexed'
}

/** Limits of a part of a level. */
export interface LevelLimits {
  readonly items: number
  readonly reads: number
  readonly signal: AbortSignal
}

/** Where a level goes on: at a canonical key, or within a page of the store. */
interface Position {
  readonly at?: string | undefined
  readonly resume?: string | undefined
}

/** The time after which no further read begins, in milliseconds. */
const mostMs = 2_000

const [leastPage, firstPage, largestPage] = [64, 256, 1_000]

/**
 * A part of a level of a store that lists in order. Each read goes on behind the last row of the read before, so the keys of a
 * large group are not walked.
 */
export async function skipLevel(
  records: Records,
  place: LevelPlace,
  range: LevelRange,
  cursor: string | undefined,
  { items: most, reads: mostReads, signal }: LevelLimits,
): Promise<LevelView> {
  const until = monotonicClock() + mostMs
  const items: LevelItem[] = []
  let [separator, position, pageSize, reads] = [place.separator, positionIn(cursor), firstPage, 0]
  let end: string | undefined
  const view = (at: Position | undefined): LevelView => {
    const { namespace, prefix } = place
    return { namespace, prefix, items, separator, reads, cursor: at === undefined ? undefined : textOf(at) }
  }
  for (;;) {
    const bounded = { ...range, gte: later(range.gte, position.at), resume: position.resume }
    const settings = { timeoutMs: 5_000, signal }
    const { entries, resume } = await records.page({ ...bounded, pageSize, values: false }, settings)
    reads += 1
    const keys = entries.map(({ key }) => key)
    separator ??= separatorOf(place, keys)
    const sort = sorterOf(place, separator ?? '')
    const before = items.length
    for (const key of keys) {
      if (end !== undefined && compareKeys(key, end) < 0) continue
      const row = sort(key)
      if (row === undefined) continue
      if (items.length === most) return view({ at: key })
      items.push(row.item)
      end = row.end
      // Behind this group no key can follow.
      if (end === undefined) return view(undefined)
    }
    if (resume === undefined) return view(undefined)
    const next = keys.at(-1)
    position = next === undefined ? { ...position, resume } : { at: later(`${next}\u0000`, end) }
    if (isBeyond(range, position.at)) return view(undefined)
    if (reads >= mostReads || monotonicClock() > until) return view(position)
    pageSize = items.length - before > 1 ? Math.min(largestPage, pageSize * 2) : leastPage
  }
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return compareKeys(a, b) > 0 ? a : b
}

/** Whether all of a range lies before a key, so that a store need not be asked. */
function isBeyond({ prefix, lt }: LevelRange, at: string | undefined): boolean {
  if (at === undefined) return false
  if (lt !== undefined && compareKeys(at, lt) >= 0) return true
  return !at.startsWith(prefix) && compareKeys(at, prefix) > 0
}

function textOf({ at, resume }: Position): string {
  return Buffer.from(JSON.stringify([at ?? null, resume ?? null])).toString('base64url')
}

/** A forged one leads to no key outside of the level: the range holds in any case. */
function positionIn(cursor: string | undefined): Position {
  if (cursor === undefined) return {}
  try {
    const [at, resume, ...others] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    const isPart = (part: unknown): boolean => part === null || typeof part === 'string'
    if (isPart(at) && isPart(resume) && others.length === 0)
      return { at: (at as string | null) ?? undefined, resume: (resume as string | null) ?? undefined }
  } catch {
    // As any other text that is none.
  }
  throw badRequest('The cursor is not one of this listing. Start again without it.')
}
