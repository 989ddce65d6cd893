import { useState } from 'preact/hooks'
import { type EntryView, Refusal, send } from '../../api.ts'
import { momentText } from '../../units.ts'
import { toBase64 } from './bytes.ts'
import { Difference } from './difference.tsx'
import { inLines } from './json-text.ts'
import { shownText } from './value-view.tsx'

interface EditorProps {
  readonly entry: EntryView
  /** Where the record is changed. */
  readonly path: string
  /** Look at the record again. `undo`: what takes a change back. */
  readonly changed: (undo: string | undefined) => void
  /** Look at the record again: it is not the one that was shown. */
  readonly conflicted: () => void
}

/** Change or delete the record, if it still has the version that is shown. */
export function Editor({ entry, path, changed, conflicted }: EditorProps) {
  const [text, setText] = useState<string>()
  const [failure, setFailure] = useState<Error>()
  const before = editable(entry)
  const put = async (change: object): Promise<void> => {
    try {
      const { undo } = await send<{ readonly undo?: string }>('PUT', path, {
        ...change,
        ifVersion: entry.version ?? null,
      })
      setText(undefined)
      setFailure(undefined)
      changed(undo)
    } catch (error) {
      setFailure(error as Error)
      // The difference is shown anew, against what has won.
      if (error instanceof Refusal && error.status === 412) conflicted()
    }
  }
  const remove = (): void => {
    if (confirm('Delete this record? It can be undone for ten minutes.')) void put({ delete: true })
  }
  const refused = failure !== undefined && (
    <Refused failure={failure} entry={entry} isEditing={text !== undefined} />
  )
  if (text === undefined || before === undefined)
    return (
      <>
        <p class="actions">
          {before !== undefined && (
            <button type="button" onClick={() => setText(before)}>
              Edit
            </button>
          )}
          <Expiry entry={entry} put={put} />
          <button type="button" class="danger" onClick={remove}>
            Delete
          </button>
        </p>
        {before === undefined && <p class="note">{whyReadOnly(entry)}</p>}
        {refused}
      </>
    )
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault()
        const change = changeOf(entry, text)
        if (change instanceof Error) setFailure(change)
        else void put(change)
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
      {refused}
      <button type="submit" disabled={text === before}>
        Store
      </button>
      <button
        type="button"
        onClick={() => {
          setText(undefined)
          setFailure(undefined)
        }}
      >
        Leave it
      </button>
    </form>
  )
}

/** The text of a value that can be edited; `undefined`: it cannot. */
function editable(entry: EntryView): string | undefined {
  const { text, isCut } = shownText(entry)
  const { edits, kind } = entry.decoded
  if (edits === undefined || isCut) return undefined
  return kind === 'json' ? inLines(text) : text
}

function changeOf({ decoded }: EntryView, text: string): object | Error {
  if (decoded.edits === 'text') return { base64: toBase64(text) }
  try {
    return { value: decoded.kind === 'text' ? text : (JSON.parse(text) as unknown) }
  } catch (error) {
    return new Error(`This is not JSON: ${(error as Error).message}`)
  }
}

function whyReadOnly({ decoded: { edits, as, kind } }: EntryView): string {
  if (edits !== undefined) return 'Only values that are shown whole can be edited.'
  const how = kind === 'hex' ? 'bytes' : as.join(', ')
  return `Shown as ${how}, the value is read-only: nothing here can encode it again. A decoder of your own with encode can.`
}

/** Why a change was not made. After a conflict the record that has won is shown already. */
function Refused({
  failure,
  entry: { version },
  isEditing,
}: {
  readonly failure: Error
  readonly entry: EntryView
  readonly isEditing: boolean
}) {
  if (!(failure instanceof Refusal) || failure.status !== 412) return <p class="status">{failure.message}</p>
  return (
    <p class="status" role="alert">
      Nothing was stored: another write has won. {writtenText(version)}
      {isEditing && ' The difference is now between its value and your text: store again to replace it.'}
    </p>
  )
}

/** A version tells when it was written. */
function writtenText(version: string | undefined): string {
  if (version === undefined) return 'It has deleted the record.'
  if (!/^[0-9a-f]{24}$/.test(version)) return `It has the version ${version}.`
  return `It has the version ${version}, of ${momentText(Number.parseInt(version.slice(0, 12), 16))}.`
}

function Expiry({
  entry: { expiresAt },
  put,
}: Pick<EditorProps, 'entry'> & { readonly put: (change: object) => Promise<void> }) {
  const [at, setAt] = useState<string>()
  if (at === undefined)
    return (
      <button type="button" onClick={() => setAt(localText(expiresAt ?? Date.now() + 86_400_000))}>
        Change expiry
      </button>
    )
  const end = (change: object): void => {
    setAt(undefined)
    void put(change)
  }
  return (
    <span class="expiry">
      <label>
        Expires, in your time
        <input
          type="datetime-local"
          step="1"
          value={at}
          onInput={(event) => setAt(event.currentTarget.value)}
        />
      </label>
      <button
        type="button"
        disabled={Number.isNaN(Date.parse(at))}
        onClick={() => end({ expiresAt: Date.parse(at) })}
      >
        Set
      </button>
      <button type="button" onClick={() => end({ expiresAt: null })}>
        Never
      </button>
      <button type="button" onClick={() => setAt(undefined)}>
        Leave it
      </button>
    </span>
  )
}

/** A time as its input takes it. */
function localText(at: number): string {
  const zone = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - zone).toISOString().slice(0, 19)
}
