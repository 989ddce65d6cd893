import type { GroupChange, GroupRange } from '@unikv/core'
import { bufferOf, type GroupCheck, type GroupHead, groupBounds } from '@unikv/core/adapter'
import { commitField } from './group-scripts.ts'

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

/** A commit: its token, the head that was seen, and the head, field and prefix of values that follow if the group did not move on. */
export function commitArguments(
  { birth, commits }: GroupHead,
  token: string,
  now: number,
): readonly Argument[] {
  const next = commits + 1
  const time = Math.max(0, Math.floor(now))
  return [
    token,
    birth === '' ? '' : `${birth} ${commits} `,
    `${birth || token} ${next} ${time}`,
    commitField(next),
    `${next} `,
  ]
}

/** Changes: how many, and each; those that set come first. */
export function changeArguments(changes: readonly GroupChange[]): readonly Argument[] {
  const set: Argument[] = []
  const removed: Argument[] = []
  for (const { key, value } of changes)
    if (value === undefined) removed.push(key, '0', '')
    else set.push(key, '1', bufferOf(value))
  return [String(changes.length), ...set, ...removed]
}
