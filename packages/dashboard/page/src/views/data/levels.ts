import { hear, json, type LevelView, queryOf, type WalkedItem, type WalkFrame } from '../../api.ts'
import type { KeyPlace } from './place.ts'

/** A row of the tree that stands for something in the store; `keys`: how many of it a walk has met. */
export type TreeItem = LevelView['items'][number] & { readonly keys?: number }

/** The listing that a tree shows. */
export interface Listing extends KeyPlace {
  readonly store: string
  /** Whether the store walks all its keys for each level. */
  readonly isWalked: boolean
  /** `undefined`: the first keys decide. */
  readonly separator: string | undefined
  readonly gte: string
  readonly lt: string
}

/** A level of the tree as far as it was asked for. */
export interface Level {
  readonly items: readonly TreeItem[]
  readonly isBusy: boolean
  /** It was asked for, so that no rows mean that there are none. */
  readonly isAsked: boolean
  readonly cursor: string | undefined
  readonly error: string | undefined
  /** Keys that a walk has seen. */
  readonly walked: number
  /** The separator of its keys, once it is known. */
  readonly separator: string | undefined
  /** Where it is: the outermost level may be anywhere that the caller may see. */
  readonly place: KeyPlace | undefined
}

export const emptyLevel: Level = {
  items: [],
  isBusy: false,
  isAsked: false,
  cursor: undefined,
  error: undefined,
  walked: 0,
  separator: undefined,
  place: undefined,
}

/** Ask for the next part of a level, and tell each state of it. `isFirst`: no reader has asked, so that little is read. */
export async function askLevel(
  listing: Listing,
  place: KeyPlace,
  level: Level,
  { isFirst, signal }: { readonly isFirst: boolean; readonly signal: AbortSignal },
  told: (level: Level) => void,
): Promise<void> {
  const { store, gte, lt, isWalked } = listing
  const asked = { ...level, isBusy: true, isAsked: true, error: undefined }
  told(asked)
  const separator = listing.separator ?? level.separator
  // A separator of nothing is a choice, too.
  const parted = separator === undefined ? '' : `&separator=${encodeURIComponent(separator)}`
  const first = isFirst ? 'true' : undefined
  const query = `${queryOf({ ...placeQuery(place), gte, lt, cursor: level.cursor, first })}${parted}`
  const path = `api/stores/${encodeURIComponent(store)}`
  try {
    if (isWalked) await walk(`${path}/walk?${query}`, asked, signal, told)
    else told(joined(asked, await json<LevelView>(`${path}/level?${query}`, { signal })))
  } catch (error) {
    if (signal.aborted) return
    told({ ...asked, isBusy: false, error: (error as Error).message })
  }
}

function placeQuery({ namespace, prefix }: KeyPlace) {
  return { namespace, prefix }
}

function joined(level: Level, { items, cursor, separator, namespace, prefix }: LevelView): Level {
  const place = { namespace, prefix }
  return { ...level, items: [...level.items, ...items], isBusy: false, cursor, separator, place }
}

async function walk(
  path: string,
  before: Level,
  signal: AbortSignal,
  told: (level: Level) => void,
): Promise<void> {
  const rows = new Map(before.items.map((item) => [nameOf(item), item]))
  // Each walk counts anew.
  const earlier = new Map(before.items.map((item) => [nameOf(item), item.keys ?? 0]))
  let isOver = false
  const heard = (frame: unknown): void => {
    const { error } = frame as { readonly error?: string }
    if (error !== undefined) throw new Error(error)
    const { items, walked, isLast, cursor, separator, namespace, prefix } = frame as WalkFrame
    for (const item of items) rows.set(nameOf(item), counted(item, earlier.get(nameOf(item)) ?? 0))
    isOver = isLast
    told({
      ...before,
      items: Array.from(rows.values()).sort(byName),
      isBusy: !isLast,
      cursor,
      separator,
      walked: before.walked + walked,
      place: { namespace, prefix },
    })
  }
  try {
    await hear(path, signal, heard)
  } catch (error) {
    if (!isOver) throw error
  }
}

function counted(item: WalkedItem, earlier: number): TreeItem {
  return { ...item, keys: item.keys + earlier }
}

/** A store without order tells rows in any: people look for them by name. */
function byName(a: TreeItem, b: TreeItem): number {
  const [first, second] = [nameOf(a), nameOf(b)]
  return first < second ? -1 : first > second ? 1 : 0
}

/** Tells rows of a level apart, with namespaces first. */
export function nameOf(item: TreeItem): string {
  if (item.kind === 'namespace') return `0 ${item.name}`
  return item.kind === 'group' ? `1 ${item.prefix}` : `1 ${item.key}`
}
