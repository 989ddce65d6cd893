import { StoreError } from '@unikv/core'

/** The most that one list may name. */
const most = 10_000

/**
 * Indexes in a list such as `1`, `0,3` or `2..4`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function indexesOf(text: string): readonly number[] {
  const indexes: number[] = []
  for (const part of text.split(',')) {
    indexes.push(...rangeOf(part, text))
    if (indexes.length > most) throw wrong(text, `names more than ${most} documents`)
  }
  return indexes
}

function rangeOf(part: string, text: string): readonly number[] {
  const [, first, last = first] = /^\s*(\d{1,15})(?:\.\.(\d{1,15}))?\s*$/.exec(part) ?? []
  if (first === undefined && /^\s*\d+(?:\.\.\d+)?\s*$/.test(part))
    throw wrong(text, 'has an index of more than 15 digits')
  if (first === undefined) throw wrong(text, 'must be a list of indexes, such as 1, 0,3 or 2..4')
  const [from, to] = [Number(first), Number(last)]
  if (from > to) throw wrong(text, `has an empty range: ${from}..${to}`)
  if (to - from >= most) throw wrong(text, `names more than ${most} documents`)
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}

function wrong(text: string, says: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `-i: '${text}' ${says}.`)
}
