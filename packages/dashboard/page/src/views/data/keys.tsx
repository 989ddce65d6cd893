import { useState } from 'preact/hooks'
import type { Overview } from '../../api.ts'
import { type Asked, FilterForm } from './filter-form.tsx'
import type { Listing } from './levels.ts'
import type { KeyPlace } from './place.ts'
import { TreeView } from './tree-view.tsx'
import { useTree } from './use-tree.ts'

interface KeysProps {
  readonly store: Overview['stores'][number]
  readonly open: (KeyPlace & { readonly key: string }) | undefined
}

/** The keys of a store: what is listed of them, and the tree. */
export function Keys({ store, open }: KeysProps) {
  const [asked, setAsked] = useState<Asked & { readonly isFirst: boolean }>({
    namespace: [],
    prefix: '',
    gte: '',
    lt: '',
    separator: undefined,
    isFirst: true,
  })
  const listing = { ...asked, store: store.name, isWalked: !store.hasIndex }
  const ask = (next: Asked): void => setAsked({ ...next, isFirst: false })
  return (
    <section class="keys" aria-label="Keys">
      <Listed key={JSON.stringify(asked)} {...{ store, open, listing, asked, ask }} />
    </section>
  )
}

interface ListedProps extends KeysProps {
  readonly listing: Listing
  readonly asked: Asked & { readonly isFirst: boolean }
  readonly ask: (asked: Asked) => void
}

function Listed({ store, open, listing, asked, ask }: ListedProps) {
  const { canList, hasIndex } = store
  // A walk begins by a click alone, and a listing that nobody asked for reads little.
  const tree = useTree(listing, canList && hasIndex, asked.isFirst)
  const { top, rows } = tree
  const isEmpty = top.isAsked && !top.isBusy && top.items.length === 0 && top.error === undefined
  return (
    <>
      <FilterForm store={store} asked={asked} top={top} ask={ask} />
      {!canList && <p class="note">This store cannot list its keys. Open one by its whole text.</p>}
      {canList && !hasIndex && <WalkNote tree={tree} />}
      {rows.length > 0 && <TreeView tree={tree} store={store.name} open={open} />}
      {isEmpty && top.cursor === undefined && <p class="empty">{emptyText(asked)}</p>}
    </>
  )
}

function emptyText({ prefix, gte, lt }: Asked): string {
  if (gte !== '' || lt !== '') return 'No key lies in this range.'
  return prefix === '' ? 'There is no key in this store.' : 'No key begins so.'
}

/** Said before a walk begins. */
function WalkNote({ tree: { top, begin, cancel } }: { readonly tree: ReturnType<typeof useTree> }) {
  return (
    <div class="walk">
      <p class="note">
        This store walks all its keys to list some: it has no index for a part of them. Nothing is read before
        you ask, and you can cancel it.
      </p>
      {top.isBusy ? (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      ) : (
        <button
          type="button"
          onClick={begin}
          disabled={top.isAsked && top.cursor === undefined && top.error === undefined}
        >
          {top.cursor === undefined ? 'Walk through the keys' : 'Walk on'}
        </button>
      )}
      {top.walked > 0 && (
        <p class="note" role="status">
          {top.walked.toLocaleString('en')} keys walked
          {top.isBusy ? ' …' : top.cursor === undefined ? ': all' : ''}
        </p>
      )}
    </div>
  )
}
