import type { Bytes } from '../../contract/bytes.ts'
import type {
  GroupCall,
  GroupChange,
  GroupEntry,
  GroupKey,
  GroupRange,
  Groups,
  GroupTransaction,
} from '../../contract/groups.ts'
import { wallClock } from '../../platform/timers.ts'
import { checkGroupKey, lostConflict } from './group-keys.ts'
import type {
  GroupCheck,
  GroupHead,
  GroupStep,
  GroupStepAnswer,
  NumberedStore,
  SeenRange,
} from './numbered-store.ts'

/** Limits of a store that numbers its commits. */
export interface NumberedLimits {
  /** Most bytes of a group and a key in it together. */
  readonly maxKeyBytes: number
}

/** Groups over a store that numbers its commits. */
export class NumberedGroups implements Groups {
  readonly control = 'optimistic'
  readonly maxGroupBytes: number = Number.POSITIVE_INFINITY
  readonly #store: NumberedStore
  readonly #maxKeyBytes: number

  constructor(store: NumberedStore, { maxKeyBytes }: NumberedLimits) {
    this.#store = store
    this.#maxKeyBytes = maxKeyBytes
  }

  begin(group: string, call: GroupCall): GroupTransaction {
    checkGroupKey(group, undefined, this.#maxKeyBytes)
    return new NumberedTransaction(this.#store, group, call, this.#maxKeyBytes)
  }

  async read(keys: readonly GroupKey[], call: GroupCall): Promise<readonly (Bytes | undefined)[]> {
    return keys.length === 0 ? [] : this.#store.read(keys, call)
  }

  async list(group: string, range: GroupRange, call: GroupCall): Promise<readonly GroupEntry[]> {
    return this.#store.list(group, range, call)
  }

  names(prefix: string, call: GroupCall): AsyncIterable<readonly string[]> {
    return this.#store.names(prefix, call)
  }

  forget(group: string, before: number, call: GroupCall): Promise<boolean> {
    return this.#store.forget(group, before, call)
  }
}

/**
 * A transaction over a store that numbers its commits. It holds nothing there: it remembers what it has read, and has that checked
 * by its commit, and by a read that finds the group at another state.
 */
class NumberedTransaction implements GroupTransaction {
  readonly #store: NumberedStore
  readonly #group: string
  readonly #call: GroupCall
  readonly #maxKeyBytes: number
  readonly #keys: Map<string, boolean> = new Map()
  readonly #ranges: SeenRange[] = []
  #head: GroupHead | undefined
  #hasLost = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(store: NumberedStore, group: string, call: GroupCall, maxKeyBytes: number) {
    this.#store = store
    this.#group = group
    this.#call = call
    this.#maxKeyBytes = maxKeyBytes
  }

  async get(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]> {
    if (keys.length === 0) return []
    return this.#inTurn(async () => {
      const { values } = await this.#step(keys, undefined)
      for (const [i, key] of keys.entries()) this.#keys.set(key, values[i] !== undefined)
      return values
    })
  }

  async list(range: GroupRange): Promise<readonly GroupEntry[]> {
    return this.#inTurn(async () => {
      const { entries } = await this.#step([], range)
      const { prefix, after, limit } = range
      this.#ranges.push({ prefix, after, limit, count: entries.length, last: entries.at(-1)?.key })
      return entries
    })
  }

  async commit(changes: readonly GroupChange[]): Promise<boolean> {
    await this.#last
    if (this.#hasLost) return false
    if (changes.length === 0) return true
    for (const { key } of changes) checkGroupKey(this.#group, key, this.#maxKeyBytes)
    return this.#store.commit(
      { group: this.#group, check: this.#check, changes, now: wallClock() },
      this.#call,
    )
  }

  rollback(): void {
    // Nothing is held.
  }

  get #check(): GroupCheck | undefined {
    return this.#head && { head: this.#head, keys: [...this.#keys], ranges: this.#ranges }
  }

  /** Reads of the state that the transaction has, or of a later one in which nothing that it has read is changed. */
  async #step(keys: readonly string[], range: GroupRange | undefined): Promise<GroupStepAnswer> {
    if (this.#hasLost) throw lostConflict()
    const step: GroupStep = { group: this.#group, keys, range, check: undefined }
    let answer = await this.#store.step(step, this.#call)
    if (answer !== undefined && this.#head !== undefined && !isSame(answer.head, this.#head))
      answer = await this.#store.step({ ...step, check: this.#check }, this.#call)
    if (answer === undefined) {
      this.#hasLost = true
      throw lostConflict()
    }
    this.#head = answer.head
    return answer
  }

  /** One after the other: a later read builds on what the ones before have found. */
  #inTurn<T>(read: () => Promise<T>): Promise<T> {
    const result = this.#last.then(read)
    this.#last = result.catch(() => undefined)
    return result
  }
}

function isSame(a: GroupHead, b: GroupHead): boolean {
  return a.birth === b.birth && a.commits === b.commits
}
