import { useState } from 'preact/hooks'
import { type JsonPart, partsOf, wholeOf } from './json-text.ts'

/** Rows of a level that are shown at first, and by each wish for more. */
const step = 100

/** Characters of a text that are shown in its row. */
const shownCharacters = 2_000

/** A text below which all levels are open. */
const smallText = 3_000

/** JSON as a tree. Levels are read and drawn when they are opened, so that large and deep ones do no harm. */
export function JsonTree({ text }: { readonly text: string }) {
  const whole = wholeOf(text)
  if (whole === undefined) return <pre tabIndex={0}>{text}</pre>
  return (
    <div class="json" role="group" aria-label="Value">
      <Node text={text} part={whole} isOpen />
    </div>
  )
}

interface NodeProps {
  readonly text: string
  readonly part: JsonPart
  /** Its place in a list. */
  readonly at?: number | undefined
  readonly isOpen?: boolean
}

function Node({ text, part, at, isOpen = text.length < smallText }: NodeProps) {
  const [open, setOpen] = useState(isOpen)
  const { kind, start, end } = part
  const isEmpty = kind !== 'string' && kind !== 'other' && text.slice(start + 1, end - 1).trim() === ''
  if (kind === 'string' || kind === 'other' || isEmpty)
    return (
      <div class="leaf">
        <Name part={part} at={at} />
        <Leaf text={text} part={part} />
      </div>
    )
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Name part={part} at={at} />
        <span class="soft">{kind === 'object' ? '{' : '['}</span>
        {!open && <span class="soft"> {preview(text, part)}</span>}
      </summary>
      {open && <Parts text={text} part={part} />}
    </details>
  )
}

function Parts({ text, part }: Pick<NodeProps, 'text' | 'part'>) {
  const [most, setMost] = useState(step)
  const [parts] = useState(() => partsOf(text, part))
  const rest = parts.length - most
  return (
    <div class="parts">
      {parts.slice(0, most).map((one, i) => (
        <Node key={one.start} text={text} part={one} at={part.kind === 'array' ? i : undefined} />
      ))}
      {rest > 0 && (
        <button type="button" onClick={() => setMost(most + step * 5)}>
          {rest.toLocaleString('en')} more
        </button>
      )}
    </div>
  )
}

function Name({ part: { name }, at }: Pick<NodeProps, 'part' | 'at'>) {
  const shown = name ?? (at === undefined ? undefined : String(at))
  return shown === undefined ? null : <span class="name">{shown}: </span>
}

function Leaf({ text, part: { kind, start, end } }: Pick<NodeProps, 'text' | 'part'>) {
  const [isWhole, setWhole] = useState(false)
  const length = end - start
  const isLong = length > shownCharacters && !isWhole
  return (
    <>
      <span class={kind}>{text.slice(start, isLong ? start + shownCharacters : end)}</span>
      {isLong && (
        <button type="button" onClick={() => setWhole(true)}>
          … {(length - shownCharacters).toLocaleString('en')} more characters
        </button>
      )}
    </>
  )
}

/** The beginning of a part that is closed. */
function preview(text: string, { start, end }: JsonPart): string {
  const inside = text
    .slice(start + 1, Math.min(end - 1, start + 90))
    .replaceAll(/\s+/g, ' ')
    .trim()
  return end - start > 90 ? `${inside} …` : `${inside} ${text[end - 1]}`
}
