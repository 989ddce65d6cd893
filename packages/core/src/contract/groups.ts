import type { Awaitable } from './awaitable.ts'
import type { Bytes } from './bytes.ts'

/**
 * Transactions over the records of one group: what entities stand on. A store may have its own (`Store.groups`); for every
 * other store with `conditionalWrite` the package `@unikv/entity` keeps a group in one record.
 *
 * A group and its keys are texts, well-formed and non-empty. The records of groups are apart from the records that the verbs see.
 */
export interface Groups {
  /** How conflicts are met: found at the commit (`optimistic`), or avoided by locks that are waited for (`locks`). */
  readonly control: 'optimistic' | 'locks'
  /** Most bytes that the records of one group may have together; `Infinity`: any number. */
  readonly maxGroupBytes: number
  /**
   * An open transaction holds something that others wait for, a connection or locks, so nothing else should be waited for before its end.
   * @default false
   */
  readonly holds?: boolean | undefined
  /** Begin a transaction on this group. It must be ended by `commit` or `rollback`. */
  begin(group: string, call: GroupCall): Awaitable<GroupTransaction>
  /** Committed values of keys of any groups, in the order of the keys asked for; not one state of several groups. */
  read(keys: readonly GroupKey[], call: GroupCall): Awaitable<readonly (Bytes | undefined)[]>
  /** Committed records of one group, in the order of their keys. */
  list(group: string, range: GroupRange, call: GroupCall): Awaitable<readonly GroupEntry[]>
  /** Names of the groups that begin so, in pages, for sweeps. A group without records may be among them. */
  names(prefix: string, call: GroupCall): AsyncIterable<readonly string[]>
  /**
   * Remove what a group without records has left behind, if that is older than this wall-clock time. Resolves to whether it did. Any
   * other group stays as it is.
   */
  forget(group: string, before: number, call: GroupCall): Promise<boolean>
}

/** The end of a call: a part of the settings that every verb takes. */
export interface GroupCall {
  /** Monotonic deadline in milliseconds of `performance.now()`; `Infinity`: none. */
  readonly deadlineAt: number
  readonly signal?: AbortSignal | undefined
  /**
   * The transaction waits for nothing but its own reads and changes, so it may have a connection that is kept free of transactions that wait for
   * others.
   */
  readonly brief?: boolean | undefined
  /** Set once a commit was sent: from then on a missing answer is `OUTCOME_UNKNOWN`. */
  sent?: boolean
}

/** One transaction. Reads are of one state of the group. No method is called after `commit` or `rollback`. */
export interface GroupTransaction {
  /**
   * The values of these keys.
   *
   * @throws {StoreError} `CONDITION_FAILED` if the transaction has lost a conflict: it can only be rolled back
   */
  get(keys: readonly string[]): Awaitable<readonly (Bytes | undefined)[]>
  /**
   * Records in the range, in the order of their keys.
   *
   * @throws {StoreError} as `get`
   */
  list(range: GroupRange): Awaitable<readonly GroupEntry[]>
  /**
   * Make these changes, all or none, if everything that was read is still as it was. Resolves to whether it did; `false` is a
   * conflict, and nothing was changed.
   *
   * @throws {StoreError} `OUTCOME_UNKNOWN` if it cannot be told; any other error: nothing was changed
   */
  commit(changes: readonly GroupChange[]): Awaitable<boolean>
  /** Give up. Nothing was changed. It never fails. */
  rollback(): Awaitable<void>
}

/** A record of a group. */
export interface GroupKey {
  readonly group: string
  readonly key: string
}

/** A key of a group, and its value. */
export interface GroupEntry {
  readonly key: string
  readonly value: Bytes
}

/** A new value of a key; `undefined` removes it. Each key is changed at most once. Its bytes stay as they are until the commit is over. */
export interface GroupChange {
  readonly key: string
  readonly value: Bytes | undefined
}

/** Which records of a group: those whose keys begin with `prefix` and come after `after`, by unsigned UTF-8 bytes. */
export interface GroupRange {
  readonly prefix: string
  /** The last key of the page before. */
  readonly after?: string | undefined
  /** Most records. */
  readonly limit: number
}
