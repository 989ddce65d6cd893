import { useEffect, useRef, useState } from 'preact/hooks'
import { json, type KeyPage, type Overview, queryOf } from '../api.ts'
import { EntryPanel } from './entry.tsx'

interface DataProps {
  readonly overview: Overview
  /** Name of the store, then the key that is open. */
  readonly place: readonly string[]
}

/** The records of one store: keys by prefix, page by page, and the value of one. */
export function DataView({ overview, place: [name, key] }: DataProps) {
  const store = overview.stores.find((one) => one.name === name) ?? overview.stores[0]
  if (!overview.hasData)
    return <p class="empty">Keys and values are not shown here: the dashboard was opened with data: false.</p>
  if (store === undefined) return <p class="empty">There is no store here that you may see.</p>
  return (
    <>
      <h1>Data</h1>
      <nav class="tabs" aria-label="Stores">
        {overview.stores.map((one) => (
          <a
            key={one.name}
            href={`#data/${encodeURIComponent(one.name)}`}
            aria-current={one === store ? 'page' : undefined}
          >
            {one.name}
          </a>
        ))}
      </nav>
      <div class="columns">
        <Keys key={store.name} store={store} open={key} />
        {key === undefined ? (
          <p class="empty">Choose a key to see its value, or type the whole key and press Open.</p>
        ) : (
          <EntryPanel key={`${store.name} ${key}`} store={store} name={key} mayChange={overview.mayChange} />
        )}
      </div>
    </>
  )
}

type Store = Overview['stores'][number]

function Keys({ store, open }: { readonly store: Store; readonly open: string | undefined }) {
  const [prefix, setPrefix] = useState('')
  const [exact, setExact] = useState('')
  const { pages, isBusy, error, list, cancel } = useKeys(store.name)
  const asks = store.canList && (store.hasIndex || pages.length > 0)
  useEffect(() => {
    if (store.canList && store.hasIndex) list('')
  }, [store.name])
  const keys = pages.flatMap(({ items }) => items)
  const hasMore = pages.at(-1)?.cursor !== undefined
  const link = (key: string): string => `#data/${encodeURIComponent(store.name)}/${encodeURIComponent(key)}`
  return (
    <section class="keys" aria-label="Keys">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (exact !== '') location.hash = link(exact).slice(1)
        }}
      >
        <label>
          Key
          <input
            value={exact}
            onInput={(event) => setExact(event.currentTarget.value)}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <button type="submit">Open</button>
      </form>
      {!store.canList && <p class="note">This store cannot list its keys.</p>}
      {store.canList && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            list(prefix)
          }}
        >
          <label>
            Prefix
            <input
              value={prefix}
              onInput={(event) => setPrefix(event.currentTarget.value)}
              autocomplete="off"
              spellcheck={false}
            />
          </label>
          <button type="submit">List</button>
          {isBusy && (
            <button type="button" onClick={cancel}>
              Cancel
            </button>
          )}
        </form>
      )}
      {store.canList && !store.hasIndex && (
        <p class="note">Filtered: this store walks through all its records to list those with a prefix.</p>
      )}
      {error !== undefined && <p class="status">{error.message}</p>}
      {keys.length > 0 && (
        <ul class="list">
          {keys.map(({ key }) => (
            <li key={key}>
              <a href={link(key)} aria-current={key === open ? 'true' : undefined}>
                {key === '' ? '(empty)' : key}
              </a>
            </li>
          ))}
        </ul>
      )}
      {asks && !isBusy && keys.length === 0 && error === undefined && <p class="empty">No key begins so.</p>}
      {hasMore && (
        <button type="button" disabled={isBusy} onClick={() => list(undefined)}>
          More keys
        </button>
      )}
    </section>
  )
}

/** Keys of a store, a page at a time. */
function useKeys(store: string) {
  const [pages, setPages] = useState<readonly KeyPage[]>([])
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const under = useRef<AbortController>(undefined)
  const asked = useRef('')
  useEffect(() => () => under.current?.abort(), [])
  /** `undefined`: the next page of what was asked for. */
  const list = (prefix: string | undefined): void => {
    under.current?.abort()
    const end = new AbortController()
    under.current = end
    const earlier = prefix === undefined ? pages : []
    asked.current = prefix ?? asked.current
    setBusy(true)
    setError(undefined)
    const query = queryOf({ limit: 100, prefix: asked.current, cursor: earlier.at(-1)?.cursor })
    json<KeyPage>(`v1/stores/${encodeURIComponent(store)}/records?${query}`, { signal: end.signal })
      .then((page) => setPages([...earlier, page]))
      .catch((cause: Error) => {
        if (!end.signal.aborted) setError(cause)
      })
      .finally(() => {
        if (under.current === end) setBusy(false)
      })
  }
  const cancel = (): void => {
    under.current?.abort()
    setBusy(false)
  }
  return { pages, isBusy, error, list, cancel }
}
