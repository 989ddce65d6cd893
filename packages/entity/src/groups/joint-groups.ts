import type { GroupChange, GroupTransaction } from '@unikv/core'
import type { JointRecords } from '@unikv/core/adapter'
import { decodeGroup, type GroupRecord } from './group-record.ts'
import { ReadGroup, type RecordLimits } from './read-group.ts'

/** Groups in records inside of a transaction over several of them. */
export class JointGroups {
  readonly #store: RecordLimits
  readonly #records: JointRecords

  constructor(store: RecordLimits, records: JointRecords) {
    this.#store = store
    this.#records = records
  }

  /** A transaction on each of these groups, all read together. Its commit hands the group's record on. */
  async begin(groups: readonly string[]): Promise<readonly GroupTransaction[]> {
    const values = await this.#records.getMany(groups)
    return groups.map((group, at) => {
      const value = values[at]
      const record = value === undefined ? undefined : decodeGroup(value, group)
      return new JointGroup(this.#records, this.#store, group, record)
    })
  }
}

class JointGroup extends ReadGroup implements GroupTransaction {
  readonly #records: JointRecords

  constructor(records: JointRecords, store: RecordLimits, group: string, record: GroupRecord | undefined) {
    super(store, group, record)
    this.#records = records
  }

  /** The transaction over all records decides. */
  async commit(changes: readonly GroupChange[]): Promise<boolean> {
    if (changes.length > 0) await this.#records.set(this.group, this.next(changes).bytes)
    return true
  }
}
