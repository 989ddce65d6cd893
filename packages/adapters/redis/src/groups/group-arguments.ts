import type { GroupChange, GroupRange } from '@unikv/core'
import { type GroupCheck, groupBounds } from '@unikv/core/adapter'

type Argument = string | Buffer

/** A range as ZRANGEBYLEX has it: from, to, most. */
export function rangeArguments(range: GroupRange): readonly Argument[] {
  const { start, end } = groupBounds(range)
  const from = Buffer.concat([Buffer.from('['), start])
  const to = end === undefined ? '+' : Buffer.concat([Buffer.from('('), end])
  return [from, to, Number.isFinite(range.limit) ? String(range.limit) : '-1']
}

/** Keys and ranges that were read; birth and commits come before them. */
export function checkArguments({ keys, ranges }: Pick<GroupCheck, 'keys' | 'ranges'>): readonly Argument[] {
  return [
    String(keys.length),
    ...keys.flatMap(([key, isThere]) => [key, isThere ? '1' : '0']),
    String(ranges.length),
    ...ranges.flatMap((range) => [...rangeArguments(range), String(range.count), range.last ?? '']),
  ]
}

/** Changes: how many, and each. */
export function changeArguments(changes: readonly GroupChange[]): readonly Argument[] {
  return [
    String(changes.length),
    ...changes.flatMap(({ key, value }) =>
      value === undefined ? [key, '0', ''] : [key, '1', bufferOf(value)],
    ),
  ]
}

function bufferOf(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.length)
}
