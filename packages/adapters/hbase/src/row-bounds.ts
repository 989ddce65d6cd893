import type { ScanRange } from '@unikv/core'
import { afterPrefix, compareKeys, type KeyBounds, keyBounds } from '@unikv/core/adapter'
import type { Dataset } from './dataset.ts'

/** Most characters of both ends of a range in one address: the gateway takes 64 KiB of headers. */
const addressChars = 60_000

/** Keys of rows as texts: from `start` on, and before `end`. */
export interface RowBounds extends KeyBounds<string> {
  readonly end: string
}

/** The rows of a range as a whole, without its cursor. */
export function rowBounds({ prefix }: Dataset, range: ScanRange): RowBounds {
  const { start, end } = keyBounds(range)
  return { start: prefix + start, end: end === undefined ? (afterPrefix(prefix) as string) : prefix + end }
}

/** The rows after this one in the direction of the listing. A cursor comes from outside, so the result stays within the bounds. */
export function beyond(row: string, { start, end }: RowBounds, reverse: boolean): RowBounds {
  if (reverse) return { start, end: compareKeys(row, end) < 0 ? row : end }
  const next = `${row}\0`
  return { start: compareKeys(next, start) > 0 ? next : start, end }
}

/** Whether a row lies in bounds. */
export function isWithin(row: string, { start, end }: RowBounds): boolean {
  return compareKeys(row, start) >= 0 && compareKeys(row, end) < 0
}

/** The parameters of the gateway for bounds. Where both ends are too long for an address, the far one is left out. */
export function endsOf({ start, end }: RowBounds, reverse: boolean): string {
  const [from, to] = reverse ? [end, justBelow(start)] : [start, end]
  const near = `${reverse ? '&reversed=true' : ''}&startrow=${encodeURIComponent(from)}`
  const far = `&endrow=${encodeURIComponent(to)}`
  return near.length + far.length > addressChars ? near : near + far
}

/** A text below another one, and above all but few that are below: the end of a listing is exclusive. */
function justBelow(text: string): string {
  const last = Array.from(text).at(-1) as string
  const point = last.codePointAt(0) as number
  const start = text.slice(0, -last.length)
  if (point === 0) return start
  return `${start}${String.fromCodePoint(point === 0xe000 ? 0xd7ff : point - 1)}\u{10ffff}`
}
