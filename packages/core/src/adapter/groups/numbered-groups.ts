import type { Bytes } from '../../contract/bytes.ts'
import type {
  GroupCall,
  GroupEntry,
  GroupKey,
  GroupRange,
  Groups,
  GroupTransaction,
} from '../../contract/groups.ts'
import { checkGroupKey } from './group-keys.ts'
import type { NumberedStore } from './numbered-store.ts'
import { NumberedTransaction } from './numbered-transaction.ts'

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
