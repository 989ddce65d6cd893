import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type KeyPlace, linkOf } from './place.ts'
import type { Row, Tree } from './use-tree.ts'

interface TreeProps {
  readonly tree: Tree
  readonly store: string
  /** The key that is shown beside it. */
  readonly open: (KeyPlace & { readonly key: string }) | undefined
}

/** Rows that are drawn above and below those in sight. */
const margin = 20

/** Height of a row in pixels, as in the style. */
const rowHeight = 28

/** The tree of keys. Only the rows in sight are drawn, so that it stays quick with any number of them. */
export function TreeView({ tree: { rows, act }, store, open }: TreeProps) {
  const [, draw] = useState(0)
  const [top, setTop] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const isMoving = useRef(false)
  const usesKeyboard = useRef(false)
  // Known at once: a key may be pressed before the row of the key before is drawn.
  const focused = useRef<{ readonly id: string | undefined; readonly at: number }>({ id: undefined, at: 0 })
  const height = box.current?.clientHeight ?? 600
  const first = Math.max(0, Math.floor(top / rowHeight) - margin)
  const last = Math.ceil((top + height) / rowHeight) + margin
  // The row that loads more gives its place to the first that came.
  const place = (): number => {
    const found = rows.findIndex(({ id }) => id === focused.current.id)
    return found < 0 ? Math.max(0, Math.min(focused.current.at, rows.length - 1)) : found
  }
  const at = place()
  const focus = (to: number): void => {
    const row = rows[to]
    focused.current = { id: row?.kind === 'more' ? undefined : row?.id, at: to }
    draw((times) => times + 1)
  }
  useLayoutEffect(() => {
    const isLost = usesKeyboard.current && document.activeElement === document.body
    if (!isMoving.current && !isLost) return
    isMoving.current = false
    box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true })
  })
  const go = (wanted: number): void => {
    if (box.current === null) return
    const to = Math.min(rows.length - 1, Math.max(0, wanted))
    isMoving.current = true
    focus(to)
    const [above, below] = [to * rowHeight, (to + 1) * rowHeight]
    if (above < box.current.scrollTop) box.current.scrollTop = above
    if (below > box.current.scrollTop + height) box.current.scrollTop = below - height
  }
  const pressed = (event: KeyboardEvent): void => {
    usesKeyboard.current = true
    const row = rows[place()]
    const move = row === undefined ? undefined : moves[event.key]
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    if (move !== undefined) move({ rows, at: place(), row, go, act })
    else if (row.kind !== 'key' && (event.key === 'Enter' || event.key === ' ')) {
      focus(place())
      act(row)
    } else return
    event.preventDefault()
  }
  const isShown = (row: Row): boolean =>
    row.key === open?.key && idOf(row.place.namespace) === idOf(open?.namespace ?? [])
  return (
    <div
      role="tree"
      aria-label="Tree of keys"
      class="tree"
      ref={box}
      onKeyDown={pressed}
      onPointerDown={() => {
        usesKeyboard.current = false
      }}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.map((row, i) => {
          if ((i < first || i > last) && i !== at) return undefined
          return (
            <TreeRow
              key={row.id}
              row={row}
              at={i}
              store={store}
              isFocused={i === at}
              isShown={row.kind === 'key' && isShown(row)}
              act={() => {
                focus(i)
                if (row.kind !== 'key') act(row)
              }}
            />
          )
        })}
      </div>
    </div>
  )
}

interface RowProps {
  readonly row: Row
  readonly at: number
  readonly store: string
  readonly isFocused: boolean
  readonly isShown: boolean
  readonly act: () => void
}

function TreeRow({ row, at, store, isFocused, isShown, act }: RowProps) {
  const { kind, depth, text, keys, isOpen, key, place } = row
  const properties = {
    role: 'treeitem' as const,
    'aria-level': depth,
    tabIndex: isFocused ? 0 : -1,
    title: text,
    class: `row row-${kind}`,
    style: { top: `${at * rowHeight}px`, paddingLeft: `${8 + (depth - 1) * 16}px` },
    onClick: act,
  }
  const count = kind !== 'key' && keys !== undefined && <span class="count">{keys.toLocaleString('en')}</span>
  if (key !== undefined)
    return (
      <a {...properties} href={linkOf(store, key, place.namespace)} aria-selected={isShown}>
        <span class="label">{text}</span>
      </a>
    )
  return (
    <div {...properties} aria-expanded={isOpen}>
      <span class="label">{text}</span>
      {count}
    </div>
  )
}

interface Moving extends Pick<Tree, 'rows' | 'act'> {
  readonly at: number
  readonly row: Row
  go(this: void, to: number): void
}

/** What the keys of the keyboard do, as in the trees of file managers. */
const moves: Readonly<Record<string, (moving: Moving) => void>> = {
  ArrowDown: ({ at, go }) => go(at + 1),
  ArrowUp: ({ at, go }) => go(at - 1),
  PageDown: ({ at, go }) => go(at + 15),
  PageUp: ({ at, go }) => go(at - 15),
  Home: ({ go }) => go(0),
  End: ({ rows, go }) => go(rows.length - 1),
  ArrowRight: ({ at, row, go, act }) => {
    if (row.isOpen === false) act(row)
    else if (row.isOpen === true) go(at + 1)
  },
  ArrowLeft: ({ rows, row, go, act }) => {
    if (row.isOpen === true) act(row)
    else if (row.parent !== undefined) go(rows.findIndex(({ id }) => id === row.parent))
  },
}

function idOf(namespace: readonly string[]): string {
  return JSON.stringify(namespace)
}
