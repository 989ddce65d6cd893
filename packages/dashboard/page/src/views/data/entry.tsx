import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, type EntryView, type Overview, queryOf, send } from '../../api.ts'
import { useJson } from '../../hooks.ts'
import { bytesText, momentText } from '../../units.ts'
import { isText, shownValue, toBase64 } from '../../values.ts'
import { shownKey } from './place.ts'

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
  const path = `api/stores/${encodeURIComponent(store.name)}/entry?${queryOf({ key: name, namespace })}`
  const { value: entry, error } = useJson<EntryView>(path, again)
  const [undo, setUndo] = useState<string>()
  const changed = (next: string | undefined): void => {
    setUndo(next)
    askAgain(again + 1)
  }
  const own = useRef<HTMLElement>(null)
  // On a small screen it lies below the keys.
  useEffect(() => own.current?.scrollIntoView({ block: 'nearest' }), [])
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
          <Layers entry={entry} store={store} />
          <Value entry={entry} store={store} name={name} namespace={namespace} />
          {mayChange && <Editor key={entry.version} entry={entry} path={path} changed={changed} />}
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

/** The value on its way down: what each layer hands on. */
function Layers({ entry: { layers, bytes }, store }: { readonly entry: EntryView; readonly store: Store }) {
  return (
    <p class="path">
      <span class="layer">value {bytesText(bytes)}</span>
      {layers.map(({ name, bytes: below }) => (
        <span key={name} class="layer">
          {name} <span class="soft">{below === undefined ? 'in another form' : bytesText(below)}</span>
        </span>
      ))}
      <span class="layer">{store.adapter}</span>
    </p>
  )
}

function Value({
  entry,
  store,
  name,
  namespace,
}: {
  readonly entry: EntryView
  readonly store: Store
  readonly name: string
  readonly namespace: readonly string[]
}) {
  const [failure, setFailure] = useState<Error>()
  const save = async (): Promise<void> => {
    try {
      const path = `v1/stores/${encodeURIComponent(store.name)}/record?${queryOf({ key: name, namespace })}`
      const link = document.createElement('a')
      link.href = URL.createObjectURL(await (await ask(path)).blob())
      link.download = name.replaceAll(/[^\w.-]/g, '_')
      link.click()
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
    } catch (error) {
      setFailure(error as Error)
    }
  }
  return (
    <>
      <pre tabIndex={0} aria-label="Value" class={isText(entry) ? undefined : 'bytes'}>
        {shownValue(entry)}
      </pre>
      {entry.isCut && <p class="note">The first 64 KiB of {bytesText(entry.bytes)} are shown.</p>}
      <button type="button" onClick={() => void save()}>
        Save as a file
      </button>
      {failure !== undefined && <p class="status">{failure.message}</p>}
    </>
  )
}

interface EditorProps {
  readonly entry: EntryView
  readonly path: string
  readonly changed: (undo: string | undefined) => void
}

/** Change or delete the record, if it still has the version that is shown. */
function Editor({ entry, path, changed }: EditorProps) {
  const [text, setText] = useState<string>()
  const [failure, setFailure] = useState<Error>()
  const before = shownValue(entry)
  const put = async (base64: string | undefined): Promise<void> => {
    try {
      const change = base64 === undefined ? { delete: true } : { base64 }
      const body = { ...change, ifVersion: entry.version }
      const { undo } = await send<{ readonly undo?: string }>('PUT', path, body)
      setText(undefined)
      changed(undo)
    } catch (error) {
      setFailure(error as Error)
    }
  }
  const remove = (): void => {
    if (confirm('Delete this record? It can be undone for ten minutes.')) void put(undefined)
  }
  if (text === undefined)
    return (
      <p class="actions">
        {isText(entry) && !entry.isCut && (
          <button type="button" onClick={() => setText(before)}>
            Edit
          </button>
        )}
        <button type="button" class="danger" onClick={remove}>
          Delete
        </button>
        {failure !== undefined && <span class="status">{failure.message}</span>}
      </p>
    )
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault()
        void put(toBase64(text))
      }}
    >
      <label>
        New value
        <textarea
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          rows={12}
          spellcheck={false}
        />
      </label>
      <Difference before={before} after={text} />
      {failure !== undefined && <p class="status">{failure.message}</p>}
      <button type="submit" disabled={text === before}>
        Store
      </button>
      <button type="button" onClick={() => setText(undefined)}>
        Leave it
      </button>
    </form>
  )
}

/** Lines that go, and lines that come. */
function Difference({ before, after }: { readonly before: string; readonly after: string }) {
  const [old, fresh] = [before.split('\n'), after.split('\n')]
  const gone = old.filter((line) => !fresh.includes(line))
  const come = fresh.filter((line) => !old.includes(line))
  if (gone.length + come.length === 0) return <p class="note">Nothing differs.</p>
  return (
    <pre class="difference" aria-label="Difference">
      {gone.map((line, i) => (
        <del key={i}>− {line}</del>
      ))}
      {come.map((line, i) => (
        <ins key={i}>+ {line}</ins>
      ))}
    </pre>
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
