import type {
  Bytes,
  GroupCall,
  GroupEntry,
  GroupKey,
  GroupRange,
  Groups,
  GroupTransaction,
} from '@unikv/core'
import { entriesIn } from './group-record.ts'
import { type GroupKeyValue, RecordStore } from './record-store.ts'
import { RecordTransaction } from './record-transaction.ts'

/** Longest header of a group that no entry is in. */
const emptyBytes = 256

/**
 * Groups of records on any store with `conditionalWrite`: each is one record of the KeyValue, and a commit replaces it if it is still
 * as it was read.
 */
export class RecordGroups implements Groups {
  readonly control = 'optimistic'
  readonly maxGroupBytes: number
  readonly #store: RecordStore

  constructor(kv: GroupKeyValue) {
    this.maxGroupBytes = kv.capabilities.maxValueBytes - emptyBytes
    this.#store = new RecordStore(kv)
  }

  async begin(group: string, call: GroupCall): Promise<GroupTransaction> {
    return new RecordTransaction(this.#store, group, await this.#store.read(group, call), call)
  }

  async read(keys: readonly GroupKey[], call: GroupCall): Promise<readonly (Bytes | undefined)[]> {
    const groups = [...new Set(keys.map(({ group }) => group))]
    const records = await this.#store.readMany(groups, call)
    const byName = new Map(groups.map((group, at) => [group, records[at]]))
    return keys.map(({ group, key }) => byName.get(group)?.entries.get(key))
  }

  async list(group: string, range: GroupRange, call: GroupCall): Promise<readonly GroupEntry[]> {
    const found = await this.#store.read(group, call)
    return found === undefined ? [] : entriesIn(found.record.entries, range)
  }

  names(prefix: string, call: GroupCall): AsyncIterable<readonly string[]> {
    return this.#store.names(prefix, call)
  }

  async forget(group: string, before: number, call: GroupCall): Promise<boolean> {
    const found = await this.#store.read(group, call)
    if (found === undefined || found.record.entries.size > 0 || found.record.changedAt >= before) return false
    return this.#store.remove(group, found, call)
  }
}
