import type { Awaitable } from '../../contract/awaitable.ts'
import type { Bytes } from '../../contract/bytes.ts'
import type { GroupCall, GroupChange, GroupEntry, GroupRange, Groups } from '../../contract/groups.ts'

/** The state of a group: how often it was committed. */
export interface GroupHead {
  /** Made when the group was, so that one that was forgotten and made again is another one. `''`: there is no such group. */
  readonly birth: string
  readonly commits: number
}

/** Everything that a transaction has read, as it was at this state. */
export interface GroupCheck {
  readonly head: GroupHead
  /** Keys, and whether they were there. */
  readonly keys: readonly (readonly [key: string, isThere: boolean])[]
  readonly ranges: readonly SeenRange[]
}

/** A range that was listed: how many records it had, and the key of the last one. */
export interface SeenRange extends GroupRange {
  readonly count: number
  readonly last: string | undefined
}

/** Reads of one state of a group, after a check of what was read before. */
export interface GroupStep {
  readonly group: string
  readonly keys: readonly string[]
  readonly range: GroupRange | undefined
  /** `undefined`: nothing to check. */
  readonly check: GroupCheck | undefined
}

/** The values and entries that were read, and of which state. */
export interface GroupStepAnswer {
  readonly head: GroupHead
  readonly values: readonly (Bytes | undefined)[]
  readonly entries: readonly GroupEntry[]
}

/** The changes of a transaction, and what they depend on. */
export interface GroupCommit {
  readonly group: string
  readonly check: GroupCheck | undefined
  readonly changes: readonly GroupChange[]
  /** Wall-clock time in milliseconds. */
  readonly now: number
}

/**
 * A store that counts the commits of each group, and keeps with each record the number of the commit that wrote it: so it can tell
 * in one step whether anything that a transaction has read was changed since.
 */
export interface NumberedStore extends Pick<Groups, 'read' | 'list' | 'names' | 'forget'> {
  /** Check and read, at one moment. `undefined`: what was read before has changed. */
  step(step: GroupStep, call: GroupCall): Awaitable<GroupStepAnswer | undefined>
  /** Check and change, at one moment. `false`: what was read has changed, and nothing was done. */
  commit(commit: GroupCommit, call: GroupCall): Awaitable<boolean>
}

/** The head of a group that is not there. */
export const noGroup: GroupHead = { birth: '', commits: 0 }

/** The group as a check looks at it. */
export interface GroupLook {
  readonly head: GroupHead
  /** The number of the commit that wrote this record, if there is one. */
  numberOf(key: string): number | undefined
  /** Keys and numbers of the records in a range. */
  numbersIn(range: GroupRange): readonly (readonly [key: string, number: number])[]
}

/** Whether everything that was read is still so. */
export function isUnchanged({ head, keys, ranges }: GroupCheck, look: GroupLook): boolean {
  if (head.birth === look.head.birth && head.commits === look.head.commits) return true
  if (head.birth !== '' && head.birth !== look.head.birth) return false
  // An older state, as of a backup that was put back.
  if (look.head.commits < head.commits) return false
  const isOld = (number: number): boolean => number <= head.commits
  const isSameKey = ([key, wasThere]: readonly [string, boolean]): boolean => {
    const number = look.numberOf(key)
    return number === undefined ? !wasThere : wasThere && isOld(number)
  }
  const isSameRange = ({ count, last, ...range }: SeenRange): boolean => {
    const found = look.numbersIn(range)
    return found.length === count && found.at(-1)?.[0] === last && found.every(([, number]) => isOld(number))
  }
  return keys.every(isSameKey) && ranges.every(isSameRange)
}
