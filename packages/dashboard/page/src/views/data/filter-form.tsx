import { useState } from 'preact/hooks'
import type { Overview } from '../../api.ts'
import type { Level, Listing } from './levels.ts'
import { linkOf } from './place.ts'

type Store = Overview['stores'][number]

/** What a reader can ask of a listing. */
export type Asked = Pick<Listing, 'namespace' | 'prefix' | 'gte' | 'lt' | 'separator'>

interface FilterProps {
  readonly store: Store
  readonly asked: Asked
  /** The outermost level, which knows what parts the keys. */
  readonly top: Level
  readonly ask: (asked: Asked) => void
}

const separators: Readonly<Record<string, string>> = {
  ':': ':',
  '/': '/',
  '.': '.',
  '-': '-',
  _: '_',
  '|': '|',
  '': 'none',
}

/** A key by its whole text; and which keys the tree shows, and how it parts them. */
export function FilterForm({ store, asked, top, ask }: FilterProps) {
  const [prefix, setPrefix] = useState(asked.prefix)
  const [from, setFrom] = useState(asked.gte)
  const [to, setTo] = useState(asked.lt)
  const isRange = asked.gte !== '' || asked.lt !== ''
  const found = top.separator === undefined ? '' : ` (${separators[top.separator] ?? top.separator})`
  return (
    <>
      <ExactKey store={store} />
      {store.canList && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            ask({ ...asked, prefix, gte: from, lt: to })
          }}
        >
          <Field name="Prefix" value={prefix} set={setPrefix} />
          <label>
            Separator
            <select
              value={asked.separator ?? 'auto'}
              onChange={({ currentTarget: { value } }) =>
                ask({ ...asked, separator: value === 'auto' ? undefined : value })
              }
            >
              <option value="auto">automatic{found}</option>
              {Object.entries(separators).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          <button type="submit">List</button>
          <details open={isRange}>
            <summary>Range</summary>
            <div class="fields">
              <Field name="From" value={from} set={setFrom} />
              <Field name="To, without it" value={to} set={setTo} />
            </div>
          </details>
        </form>
      )}
    </>
  )
}

function ExactKey({ store }: { readonly store: Store }) {
  const [key, setKey] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (key !== '') location.hash = linkOf(store.name, key, []).slice(1)
      }}
    >
      <Field name="Key" value={key} set={setKey} />
      <button type="submit">Open</button>
    </form>
  )
}

interface FieldProps {
  readonly name: string
  readonly value: string
  readonly set: (value: string) => void
}

function Field({ name, value, set }: FieldProps) {
  return (
    <label>
      {name}
      <input
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
        autocomplete="off"
        spellcheck={false}
      />
    </label>
  )
}
