import type { Overview } from '../../api.ts'
import './data.css'
import { EntryPanel } from './entry.tsx'
import { Keys } from './keys.tsx'

interface DataProps {
  readonly overview: Overview
  /** Name of the store, then the key that is open, and the namespaces of the key. */
  readonly place: readonly string[]
}

/** The records of one store: keys by prefix, page by page, and the value of one. */
export function DataView({ overview, place: [name, key, ...namespace] }: DataProps) {
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
        <Keys
          key={store.name}
          store={store}
          open={key === undefined ? undefined : { namespace, prefix: '', key }}
        />
        {key === undefined ? (
          <p class="empty">Choose a key to see its value, or type the whole key and press Open.</p>
        ) : (
          <EntryPanel
            key={[store.name, key, ...namespace].join(' ')}
            store={store}
            name={key}
            namespace={namespace}
            mayChange={overview.mayChange}
          />
        )}
      </div>
    </>
  )
}
