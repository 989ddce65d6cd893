import { useEffect, useRef, useState } from 'preact/hooks'
import { askLevel, emptyLevel, type Level, type Listing, nameOf, type TreeItem } from './levels.ts'
import { type KeyPlace, shownKey } from './place.ts'

/** A row of the tree as it is shown. */
export interface Row {
  readonly id: string
  readonly depth: number
  readonly kind: TreeItem['kind'] | 'more' | 'busy' | 'error'
  readonly text: string
  /** Keys of it that a walk has met. */
  readonly keys?: number | undefined
  /** The level below a row that opens; the own level of other rows. */
  readonly place: KeyPlace
  /** Only keys have it. */
  readonly key?: string
  /** Only of rows that open. */
  readonly isOpen?: boolean
  /** Id of the row that it lies below. */
  readonly parent: string | undefined
}

/** A tree of keys: its rows, and what can be done with it. */
export interface Tree {
  readonly rows: readonly Row[]
  /** The outermost level. */
  readonly top: Level
  /** Open or close a row, or do what it offers. */
  act(this: void, row: Row): void
  /** Ask for the outermost level, or its next part. */
  begin(this: void): void
  /** End all that is under way. */
  cancel(this: void): void
}

/** The tree of a listing; a new listing is a new tree. Nothing is asked for before `begin`, unless `isShown`; `isFirst`: then little. */
export function useTree(listing: Listing, isShown: boolean, isFirst: boolean): Tree {
  const [, draw] = useState(0)
  const levels = useRef(new Map<string, Level>()).current
  const open = useRef(new Set<string>()).current
  const ends = useRef(new Map<string, AbortController>()).current
  const top = { namespace: listing.namespace, prefix: listing.prefix }
  const ask = (place: KeyPlace, isFirst: boolean): void => {
    const id = idOf(place)
    ends.get(id)?.abort()
    const end = new AbortController()
    ends.set(id, end)
    void askLevel(listing, place, levels.get(id) ?? emptyLevel, { isFirst, signal: end.signal }, (level) => {
      levels.set(id, level)
      draw((times) => times + 1)
    })
  }
  const cancel = (id: string): void => {
    ends.get(id)?.abort()
    const level = levels.get(id)
    if (level !== undefined) levels.set(id, { ...level, isBusy: false })
    draw((times) => times + 1)
  }
  useEffect(() => {
    if (isShown) ask(top, isFirst)
    return () => {
      for (const end of ends.values()) end.abort()
    }
  }, [])
  return {
    rows: rowsOf(levels, open, top),
    top: levels.get(idOf(top)) ?? emptyLevel,
    begin: () => ask(top, false),
    cancel: () => {
      for (const id of ends.keys()) cancel(id)
    },
    act: (row) => {
      const id = idOf(row.place)
      if (row.kind === 'more' || row.kind === 'error') return ask(row.place, false)
      if (row.kind === 'busy') return cancel(id)
      if (open.delete(id)) cancel(id)
      else {
        open.add(id)
        const level = levels.get(id)
        if (level === undefined || level.items.length === 0) ask(row.place, false)
        draw((times) => times + 1)
      }
    },
  }
}

function idOf({ namespace, prefix }: KeyPlace): string {
  return JSON.stringify([prefix, ...namespace])
}

function rowsOf(
  levels: ReadonlyMap<string, Level>,
  open: ReadonlySet<string>,
  place: KeyPlace,
  depth = 1,
  parent?: string,
): readonly Row[] {
  const level = levels.get(idOf(place))
  if (level === undefined) return []
  // The outermost level may be further in than was asked for.
  const here = level.place ?? place
  const rows = level.items.flatMap((item) => {
    const row = rowOf(item, here, depth, parent, open)
    if (row.isOpen !== true) return [row]
    return [row, ...rowsOf(levels, open, row.place, depth + 1, row.id)]
  })
  const own = { depth, place, parent }
  return [...rows, ...endOf(level, own, idOf(place))]
}

type Own = Pick<Row, 'depth' | 'place' | 'parent'>

/** The row behind the others, that tells how a level goes on. */
function endOf(level: Level, own: Own, id: string): readonly Row[] {
  const { isBusy, walked, error, cursor, items, isAsked } = level
  if (isBusy) {
    const text = walked > 0 ? `${walked.toLocaleString('en')} keys walked … Cancel` : 'Loading … Cancel'
    return [{ ...own, id: `${id} end`, kind: 'busy', text }]
  }
  if (error !== undefined) return [{ ...own, id: `${id} end`, kind: 'error', text: `${error} Try again` }]
  if (cursor !== undefined) return [{ ...own, id: `${id} end`, kind: 'more', text: 'More …' }]
  if (items.length > 0 || !isAsked || own.depth === 1) return []
  return [{ ...own, id: `${id} end`, kind: 'more', text: 'Nothing here any more. Look again' }]
}

function rowOf(
  item: TreeItem,
  { namespace, prefix }: KeyPlace,
  depth: number,
  parent: string | undefined,
  open: ReadonlySet<string>,
): Row {
  const own = { depth, parent, kind: item.kind, keys: item.keys }
  const id = `${JSON.stringify([prefix, ...namespace])} ${nameOf(item)}`
  if (item.kind === 'key') {
    const text =
      item.key === prefix ? `${shownKey(item.key)} (the whole key)` : shownKey(item.key.slice(prefix.length))
    return { ...own, id, text, place: { namespace, prefix }, key: item.key }
  }
  const place =
    item.kind === 'group'
      ? { namespace, prefix: item.prefix }
      : { namespace: [...namespace, item.name], prefix: '' }
  const text = item.kind === 'group' ? shownKey(item.prefix.slice(prefix.length)) : shownKey(item.name)
  return { ...own, id, text, place, isOpen: open.has(idOf(place)) }
}
