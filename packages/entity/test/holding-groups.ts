import { type GroupCall, type Groups, type GroupTransaction, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { RecordGroups } from '../src/groups/record-groups.ts'
import type { GroupKeyValue } from '../src/groups/record-store.ts'

/** Native groups of a store with one connection: a transaction has it from its first read on, until its end. Others wait for it. */
export class HoldingGroups extends RecordGroups {
  readonly holds = true
  /** Names of the groups of transactions, in the order in which they were begun. */
  readonly begun: string[] = []
  /** Done before a transaction on a group is begun. */
  before: (group: string) => Promise<unknown> = async () => {}
  /** Done before a transaction reads. */
  reading: (group: string) => Promise<unknown> = async () => {}
  /** How many transactions are open. */
  open = 0
  #free: Promise<void> = Promise.resolve()

  override async begin(named: string, call: GroupCall): Promise<GroupTransaction> {
    // Without the end mark of the namespace.
    const group = named.replace(/^\u0002/, '')
    await this.before(group)
    this.begun.push(group)
    const inner = await super.begin(named, call)
    let giveBack: (() => void) | undefined
    const take = async (): Promise<void> => {
      if (giveBack !== undefined) return
      const before = this.#free
      this.#free = new Promise((resolve) => {
        giveBack = resolve
      })
      await before
    }
    this.open++
    let isOver = false
    const end = (): void => {
      if (isOver) throw new Error('It was ended before.')
      isOver = true
      this.open--
      giveBack?.()
    }
    return {
      get: async (keys) => {
        await take()
        await this.reading(group)
        return inner.get(keys)
      },
      list: async (range) => {
        await take()
        await this.reading(group)
        return inner.list(range)
      },
      commit: async (changes) => {
        await take()
        try {
          return await inner.commit(changes)
        } finally {
          end()
        }
      },
      rollback: end,
    }
  }
}

/** A KeyValue in memory with native groups that hold something, and other groups over the same records that do not. */
export function holding(): {
  readonly kv: GroupKeyValue
  readonly groups: HoldingGroups
  readonly beside: Groups
} {
  const store = memory()
  const kv = keyValue(store)
  const groups = new HoldingGroups(kv)
  const native = Object.create(store, { groups: { value: groups } }) as typeof store
  return { kv: keyValue(native), groups, beside: new RecordGroups(kv) }
}
