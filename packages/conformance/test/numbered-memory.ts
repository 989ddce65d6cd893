import type { Bytes, GroupCall, GroupEntry, GroupKey, GroupRange, Groups } from '@unikv/core'
import {
  compareKeys,
  endOf,
  type GroupCommit,
  type GroupHead,
  type GroupLook,
  type GroupStep,
  isUnchanged,
  NumberedGroups,
  type NumberedStore,
  noGroup,
} from '@unikv/core/adapter'

/** A fault of a store of groups, which the suite must find. */
export type Fault =
  | 'no check of keys'
  | 'no check of ranges'
  | 'no check of reads'
  | 'half a commit'
  | 'order of UTF-16'
  | 'after the deadline'

interface Stored {
  readonly number: number
  readonly value: Bytes
}

class MemoryGroup implements GroupLook {
  head: GroupHead = noGroup
  changedAt = 0
  readonly records = new Map<string, Stored>()

  numberOf(key: string): number | undefined {
    return this.records.get(key)?.number
  }

  numbersIn(range: GroupRange): readonly (readonly [string, number])[] {
    return this.rowsIn(range, compareKeys).map(([key, { number }]) => [key, number])
  }

  rowsIn({ prefix, after, limit }: GroupRange, compare: (a: string, b: string) => number) {
    return [...this.records]
      .filter(([key]) => key.startsWith(prefix) && (after === undefined || compare(key, after) > 0))
      .sort(([a], [b]) => compare(a, b))
      .slice(0, limit)
  }
}

/** Groups in memory that number their commits; with a fault, if one is named. */
export function numberedMemory(fault?: Fault): Groups {
  return new NumberedGroups(new MemoryGroups(fault), { maxKeyBytes: 1_000 })
}

class MemoryGroups implements NumberedStore {
  readonly #groups = new Map<string, MemoryGroup>()
  readonly #fault: Fault | undefined
  #births = 0

  constructor(fault: Fault | undefined) {
    this.#fault = fault
  }

  step({ group, keys, range, check }: GroupStep, call: GroupCall) {
    this.#checkTime(call)
    const found = this.#of(group)
    if (this.#fault !== 'no check of reads' && check !== undefined && !isUnchanged(check, found))
      return undefined
    const values = keys.map((key) => found.records.get(key)?.value)
    return { head: found.head, values, entries: range === undefined ? [] : this.#entries(found, range) }
  }

  commit({ group, check, changes, now }: GroupCommit, call: GroupCall): boolean {
    this.#checkTime(call)
    const found = this.#of(group)
    const checked = check && {
      head: check.head,
      keys: this.#fault === 'no check of keys' ? [] : check.keys,
      ranges: this.#fault === 'no check of ranges' ? [] : check.ranges,
    }
    if (checked !== undefined && !isUnchanged(checked, found)) return false
    const number = found.head.commits + 1
    found.head = { birth: found.head.birth || `b${this.#births++}`, commits: number }
    found.changedAt = now
    const made = this.#fault === 'half a commit' ? changes.slice(0, Math.ceil(changes.length / 2)) : changes
    for (const { key, value } of made)
      if (value === undefined) found.records.delete(key)
      else found.records.set(key, { number, value: Uint8Array.from(value) })
    this.#groups.set(group, found)
    return true
  }

  read(keys: readonly GroupKey[], call: GroupCall): readonly (Bytes | undefined)[] {
    this.#checkTime(call)
    return keys.map(({ group, key }) => this.#of(group).records.get(key)?.value)
  }

  list(group: string, range: GroupRange, call: GroupCall): readonly GroupEntry[] {
    this.#checkTime(call)
    return this.#entries(this.#of(group), range)
  }

  async *names(prefix: string): AsyncGenerator<readonly string[]> {
    yield [...this.#groups.keys()].filter((name) => name.startsWith(prefix))
  }

  async forget(group: string, before: number): Promise<boolean> {
    const found = this.#of(group)
    if (found.records.size > 0 || found.changedAt >= before) return false
    return this.#groups.delete(group)
  }

  #of(group: string): MemoryGroup {
    return this.#groups.get(group) ?? new MemoryGroup()
  }

  #entries(group: MemoryGroup, range: GroupRange): readonly GroupEntry[] {
    const compare = this.#fault === 'order of UTF-16' ? byUnits : compareKeys
    return group.rowsIn(range, compare).map(([key, { value }]) => ({ key, value }))
  }

  #checkTime(call: GroupCall): void {
    const end = this.#fault === 'after the deadline' ? undefined : endOf(call, false)
    if (end !== undefined) throw end
  }
}

function byUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
