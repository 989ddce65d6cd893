import { useEffect, useRef, useState } from 'preact/hooks'
import { type EntryView, type LayerView, type Overview, queryOf, Refusal, send } from '../../api.ts'
import { useJson } from '../../hooks.ts'
import { bytesText, momentText } from '../../units.ts'
import { Editor } from './editor.tsx'
import { shownKey } from './place.ts'
import { entryAddress, ValueView } from './value-view.tsx'

type Store = Overview['stores'][number]

interface EntryProps {
  readonly store: Store
  readonly name: string
  readonly namespace: readonly string[]
  readonly mayChange: boolean
}

/** One record as the application sees it. */
export function EntryPanel({ store, name, namespace, mayChange }: EntryProps) {
  const [again, askAgain] = useState(0)
  const [choice, choose] = useState('')
  const [isWhole, setWhole] = useState(false)
  const [undo, setUndo] = useState<string>()
  const [isConflict, setConflict] = useState(false)
  const path = `api/stores/${encodeURIComponent(store.name)}/entry`
  const query = queryOf({ key: name, namespace })
  const { value: found, error } = useJson<EntryView>(entryAddress(path, query, choice, isWhole), again)
  const last = useRef<EntryView>(undefined)
  if (found !== undefined) last.current = found
  // A text that is being edited outlives the record: stored again, it makes a new one.
  const isGone = error instanceof Refusal && error.status === 404
  const lost =
    isConflict && isGone && last.current !== undefined ? { ...last.current, version: undefined } : undefined
  const entry = found ?? lost
  const changed = (next: string | undefined): void => {
    setUndo(next)
    setConflict(false)
    askAgain(again + 1)
  }
  const conflicted = (): void => {
    setConflict(true)
    askAgain(again + 1)
  }
  const own = useRef<HTMLElement>(null)
  const isThere = entry !== undefined
  // On a small screen it lies below the keys.
  useEffect(() => {
    if (isThere && matchMedia('(max-width: 800px)').matches) own.current?.scrollIntoView()
  }, [isThere])
  return (
    <section class="entry" aria-label={name} ref={own}>
      <h2>
        {namespace.length > 0 && <span class="soft">{namespace.map(shownKey).join(' › ')} › </span>}
        {shownKey(name)}
      </h2>
      {store.isSealed && <p class="note">Stored encrypted. This look was recorded.</p>}
      {undo !== undefined && <Undo store={store} undo={undo} done={() => changed(undefined)} />}
      {error !== undefined && <p class="status">{error.message}</p>}
      {entry === undefined && error === undefined && <p class="soft">Loading …</p>}
      {entry !== undefined && (
        <>
          <Properties entry={entry} />
          <Layers key={entry.version} entry={entry} store={store} path={`${path}/layers?${query}`} />
          <ValueView
            entry={entry}
            path={path}
            query={query}
            choice={choice}
            choose={(next) => {
              choose(next)
              setWhole(false)
            }}
            loadWhole={() => setWhole(true)}
          />
          {mayChange && (
            <Editor entry={entry} path={`${path}?${query}`} changed={changed} conflicted={conflicted} />
          )}
        </>
      )}
    </section>
  )
}

function Properties({
  entry: { version, expiresAt, tier, bytes, contentType },
}: {
  readonly entry: EntryView
}) {
  return (
    <dl>
      <dt>size</dt>
      <dd>{bytesText(bytes)}</dd>
      <dt>type</dt>
      <dd>{contentType}</dd>
      <dt>expires</dt>
      <dd>{expiresAt === undefined ? 'never' : momentText(expiresAt)}</dd>
      <dt>version</dt>
      <dd>
        <code>{version ?? 'none'}</code>
      </dd>
      <dt>answered by</dt>
      <dd>{tier ?? 'the store'}</dd>
    </dl>
  )
}

/** A value above this is measured at each layer only when a reader wants it: each is read once more for that. */
const freelyMeasured = 1_048_576

interface LayersProps {
  readonly entry: EntryView
  readonly store: Store
  readonly path: string
}

/** The value on its way down: what each layer hands on. */
function Layers({ entry: { bytes }, store, path }: LayersProps) {
  const [isAsked, ask] = useState(bytes <= freelyMeasured)
  const { value: layers, error } = useJson<readonly LayerView[]>(
    isAsked && store.layers.length > 0 ? path : undefined,
  )
  const size = (name: string, i: number): string => {
    if (!isAsked) return ''
    if (error !== undefined) return 'not known'
    if (layers === undefined) return '…'
    const below = layers[i]?.name === name ? layers[i]?.bytes : undefined
    return below === undefined ? 'in another form' : bytesText(below)
  }
  return (
    <p class="path">
      <span class="layer">value {bytesText(bytes)}</span>
      {store.layers.map((name, i) => (
        <span key={name} class="layer">
          {name} <span class="soft">{size(name, i)}</span>
        </span>
      ))}
      <span class="layer">{store.adapter}</span>
      {!isAsked && store.layers.length > 0 && (
        <button type="button" class="small" onClick={() => ask(true)}>
          Measure
        </button>
      )}
    </p>
  )
}

function Undo({
  store,
  undo,
  done,
}: {
  readonly store: Store
  readonly undo: string
  readonly done: () => void
}) {
  const [failure, setFailure] = useState<Error>()
  const back = async (): Promise<void> => {
    try {
      await send('POST', `api/stores/${encodeURIComponent(store.name)}/undo`, { undo })
      done()
    } catch (error) {
      setFailure(error as Error)
    }
  }
  return (
    <p class="status" role="status">
      The change was stored. <button onClick={() => void back()}>Undo</button> {failure?.message}
    </p>
  )
}
