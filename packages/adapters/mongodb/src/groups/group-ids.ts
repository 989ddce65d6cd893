import type { GroupRange } from '@unikv/core'
import { checkGroupKey, groupBounds } from '@unikv/core/adapter'

/** Most bytes of the name of a group and a key in it, which stand in the index of ids as hexadecimal digits. */
const maxKeyBytes = 480
/** Between a group and its key: less than any digit, so that a group stands before those whose names begin with its own. */
const separator = '/'
const afterSeparator = '0'
/** Begins the ids of heads, which stand before all records. */
const headMark = '!'
const afterHeads = '"'

/** Ids from `from` on and before `to`. */
export interface IdRange {
  readonly from: string
  readonly to: string
}

/**
 * The id of a record of a group. Hexadecimal digits are in the order of bytes, and every name can be written with them.
 *
 * @throws {StoreError} `INVALID_KEY`, `KEY_TOO_LONG`
 */
export function idOf(group: string, key: string): string {
  checkGroupKey(group, key, maxKeyBytes)
  return `${hex(group)}${separator}${hex(key)}`
}

/** The id of the head of a group. */
export function headOf(group: string): string {
  checkGroupKey(group, undefined, maxKeyBytes)
  return headMark + hex(group)
}

/** The key of a record by its id. */
export function keyOf(id: string): string {
  return Buffer.from(id.slice(id.indexOf(separator) + 1), 'hex').toString()
}

/** The name of a group by the id of its head. */
export function nameOf(head: string): string {
  return Buffer.from(head.slice(headMark.length), 'hex').toString()
}

/** The ids of a range of a group. */
export function idsIn(group: string, range: Pick<GroupRange, 'prefix' | 'after'>): IdRange {
  const { start, end } = groupBounds(range)
  const own = hex(group)
  return {
    from: own + separator + start.toString('hex'),
    to: end === undefined ? own + afterSeparator : own + separator + end.toString('hex'),
  }
}

/** The heads of groups whose names begin so, after one of them. */
export function headsIn(prefix: string, after?: string): IdRange {
  const { start, end } = groupBounds({ prefix, after })
  return {
    from: headMark + start.toString('hex'),
    to: end === undefined ? afterHeads : headMark + end.toString('hex'),
  }
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex')
}
