import type { ScanRange } from '@unikv/core'
import { compareKeys, decodeCursor, encodeCursor, type Records } from '@unikv/core/adapter'
import { monotonicClock, nextTurn } from '@unikv/core/platform'
import type { LevelPlace, LevelRange } from './level-place.ts'
import { type LevelItem, separatorOf, sorterOf } from './sorter.ts'

/** A row that a walk has met, with how many keys it has met of it. */
export type WalkedItem = LevelItem & { readonly keys: number }

/** How far a walk through a store is. */
export interface WalkFrame {
  readonly namespace: readonly string[]
  readonly prefix: string
  readonly separator: string | undefined
  /** Keys of the store that were seen, of this level or not. */
  readonly walked: number
  /** Rows that are new, or whose count has changed since the frame before. */
  readonly items: readonly WalkedItem[]
  /** The walk has ended with this frame. */
  readonly isLast: boolean
  /** Where a further walk goes on; `undefined` in the last frame: all keys were seen. */
  readonly cursor: string | undefined
}

/** Rows after which a walk rests, until its caller wants more. */
const mostRows = 1_000

/** Time between two frames, in milliseconds. */
const frameMs = 250

/** Time between two rests, in which others are served and a cancel is heard, in milliseconds. */
const restMs = 20

const pageSize = 1_000

/** Longest time of one page, in milliseconds: some stores walk all their keys for the first. */
const pageMs = 60_000

/** A level of a store that walks all its keys to list some. Ends when its caller leaves the loop, or by the signal. */
export async function* walkLevel(
  records: Records,
  place: LevelPlace,
  range: LevelRange,
  cursor: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<WalkFrame> {
  const { store } = records
  const asked = storeRange(records, range)
  const resume = cursor === undefined ? undefined : decodeCursor(store.name, asked, cursor).resume
  const rows = new Rows(place)
  let [walked, framedAt, restedAt, at] = [0, monotonicClock(), monotonicClock(), resume]
  const frame = (isLast: boolean): WalkFrame => ({
    namespace: place.namespace,
    prefix: place.prefix,
    separator: rows.separator,
    walked,
    items: rows.changed(),
    isLast,
    cursor: isLast && at !== undefined ? encodeCursor(store.name, asked, { resume: at }) : undefined,
  })
  for await (const page of records.pages({ ...asked, resume }, { timeoutMs: pageMs, signal })) {
    walked += page.entries.length
    at = page.resume
    rows.meet(page.entries.map(({ key }) => key).filter((key) => isWithin(range, key)))
    if (at === undefined || rows.count >= mostRows) break
    const now = monotonicClock()
    if (now - framedAt >= frameMs) {
      yield frame(false)
      framedAt = now
    }
    if (now - restedAt >= restMs) {
      await nextTurn()
      restedAt = monotonicClock()
    }
  }
  yield frame(true)
}

/** The range that the store is asked for: stores without order take no bounds. */
function storeRange({ store: { capabilities } }: Records, { prefix, gte, lt }: LevelRange): ScanRange {
  const { scan } = capabilities
  const isOrdered = scan !== false && scan.order === 'bytes'
  return { prefix, ...(isOrdered ? { gte, lt } : {}), pageSize, values: false }
}

function isWithin({ gte, lt }: LevelRange, key: string): boolean {
  return (gte === undefined || compareKeys(key, gte) >= 0) && (lt === undefined || compareKeys(key, lt) < 0)
}

/** The rows that a walk has met. */
class Rows {
  readonly #place: LevelPlace
  readonly #met = new Map<string, WalkedItem>()
  readonly #changed = new Set<string>()
  separator: string | undefined

  constructor(place: LevelPlace) {
    this.#place = place
    this.separator = place.separator
  }

  get count(): number {
    return this.#met.size
  }

  meet(keys: readonly string[]): void {
    this.separator ??= separatorOf(this.#place, keys)
    const sort = sorterOf(this.#place, this.separator ?? '')
    for (const key of keys) {
      const item = sort(key)?.item
      if (item === undefined) continue
      const name = `${item.kind} ${item.kind === 'key' ? item.key : item.kind === 'group' ? item.prefix : item.name}`
      this.#met.set(name, { ...item, keys: (this.#met.get(name)?.keys ?? 0) + 1 })
      this.#changed.add(name)
    }
  }

  /** Those that have changed since they were asked for. */
  changed(): readonly WalkedItem[] {
    const changed = Array.from(this.#changed, (name) => this.#met.get(name) as WalkedItem)
    this.#changed.clear()
    return changed
  }
}
