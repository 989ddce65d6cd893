import { useEffect, useState } from 'preact/hooks'
import { addressOf, ask, type EntryView, queryOf, send } from '../../api.ts'
import { bytesText } from '../../units.ts'
import { bytesOf, hexOf, textOf } from './bytes.ts'
import { JsonTree } from './json-tree.tsx'

/** The longest text that is loaded whole. */
const mostWhole = 1_048_576

/** Bytes that are shown as digits at first, and by each wish for more. */
const hexStep = 4_096

const choices = ['json', 'text', 'hex', 'msgpack', 'cbor', 'image', 'gzip', 'brotli', 'zstd'] as const

interface ValueProps {
  readonly entry: EntryView
  /** Where records of this kind are asked for, without and with the query that names this one. */
  readonly path: string
  readonly query: string
  readonly choice: string
  readonly choose: (choice: string) => void
  readonly loadWhole: () => void
}

/** A value as it was decoded, the choice of decoders, and the way to its file. */
export function ValueView({ entry, path, query, choice, choose, loadWhole }: ValueProps) {
  const { decoded, bytes } = entry
  const { as, by, own, error } = decoded
  return (
    <>
      <form class="decoding" onSubmit={(event) => event.preventDefault()}>
        <label>
          Shown as
          <select value={choice} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">automatic{choice === '' ? ` (${as.join(', ')})` : ''}</option>
            {own !== undefined && <option value="own">{own}, by the configuration</option>}
            {choices.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Download path={path} query={query} bytes={bytes} />
      </form>
      {choice === '' && by !== 'the layers' && error === undefined && (
        <p class="note">
          Decoded as {as.join(', ')}, by {by}.
        </p>
      )}
      {error !== undefined && (
        <p class="status">
          It cannot be decoded as {as.join(', ')}: {error}
        </p>
      )}
      <Shown key={choice} entry={entry} path={path} query={query} choice={choice} loadWhole={loadWhole} />
    </>
  )
}

function Shown({ entry, path, query, choice, loadWhole }: Omit<ValueProps, 'choose'>) {
  const { kind } = entry.decoded
  if (kind === 'image')
    return <Image path={`${path}/image?${query}${choice === '' ? '' : `&as=${choice}`}`} />
  if (kind === 'hex') return <Hex entry={entry} />
  const { text, isCut, length } = shownText(entry)
  const unit =
    entry.decoded.text === undefined ? bytesText(length) : `${length.toLocaleString('en')} characters`
  return (
    <>
      {kind === 'json' && !isCut ? (
        <JsonTree text={text} />
      ) : (
        <pre tabIndex={0} aria-label="Value" class={isCut ? 'long' : undefined}>
          {text}
        </pre>
      )}
      {isCut && (
        <p class="note">
          The first {(text.length / 1_024).toFixed(0)} Ki characters of {unit} are shown.{' '}
          {length > mostWhole
            ? `${kind === 'json' ? 'It is too long for a tree' : 'It is too long to be shown whole'}: download it.`
            : ''}
        </p>
      )}
      {isCut && length <= mostWhole && (
        <button type="button" onClick={loadWhole}>
          {kind === 'json' ? 'Load it whole, as a tree' : 'Load it whole'}
        </button>
      )}
    </>
  )
}

/** The text of a value as far as it is here. */
export function shownText({ decoded, base64, isCut, bytes }: EntryView): {
  readonly text: string
  readonly isCut: boolean
  /** In characters if a decoder has made it, and else in bytes. */
  readonly length: number
} {
  const { text, characters = 0 } = decoded
  if (text !== undefined) return { text, isCut: text.length < characters, length: characters }
  return { text: textOf(bytesOf(base64), isCut), isCut, length: bytes }
}

function Hex({ entry: { base64, bytes } }: { readonly entry: EntryView }) {
  const [most, setMost] = useState(hexStep)
  const all = bytesOf(base64)
  return (
    <>
      <pre tabIndex={0} aria-label="Value" class="bytes">
        {bytes === 0 ? '(no bytes)' : hexOf(all.subarray(0, most))}
      </pre>
      {most < bytes && (
        <p class="note">
          The first {bytesText(Math.min(most, all.length))} of {bytesText(bytes)} are shown.
        </p>
      )}
      {most < all.length && (
        <button type="button" onClick={() => setMost(most + hexStep * 3)}>
          More bytes
        </button>
      )}
    </>
  )
}

function Image({ path }: { readonly path: string }) {
  const [url, setUrl] = useState<string>()
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    let made: string | undefined
    const end = new AbortController()
    ask(path, { signal: end.signal })
      .then(async (answer) => {
        made = URL.createObjectURL(await answer.blob())
        if (end.signal.aborted) URL.revokeObjectURL(made)
        else setUrl(made)
      })
      .catch((error: Error) => end.signal.aborted || setFailure(error.message))
    return () => {
      end.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [path])
  if (failure !== undefined) return <p class="status">{failure}</p>
  if (url === undefined) return <p class="soft">Loading …</p>
  return (
    <img
      class="picture"
      src={url}
      alt="The value"
      onError={() => setFailure('The browser cannot show this image.')}
    />
  )
}

/** The whole value as a file: the browser writes it as it comes. */
function Download({ path, query, bytes }: Pick<ValueProps, 'path' | 'query'> & { readonly bytes: number }) {
  const [failure, setFailure] = useState<Error>()
  const save = async (): Promise<void> => {
    try {
      const { path: file } = await send<{ readonly path: string }>('POST', `${path}/file?${query}`, {})
      const link = document.createElement('a')
      link.href = addressOf(file).href
      link.download = ''
      link.click()
    } catch (error) {
      setFailure(error as Error)
    }
  }
  return (
    <>
      <button type="button" onClick={() => void save()}>
        Download {bytesText(bytes)}
      </button>
      {failure !== undefined && <span class="status">{failure.message}</span>}
    </>
  )
}

/** The address of a record as a reader wants to see it. */
export function entryAddress(path: string, query: string, choice: string, isWhole: boolean): string {
  const more = queryOf({ as: choice, whole: isWhole ? 'true' : undefined })
  return `${path}?${query}${more === '' ? '' : `&${more}`}`
}
