import {
  type Bytes,
  type GroupCall,
  type GroupChange,
  type GroupEntry,
  type GroupRange,
  type GroupTransaction,
  isStoreError,
} from '@unikv/core'
import { compareKeys } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { Document } from 'mongodb'
import { headOf, idOf } from './group-ids.ts'
import { GroupReader, type GroupsOf } from './group-reader.ts'
import { GroupSession } from './group-session.ts'

/** Statements of one command, which may have 100,000. */
const mostStatements = 1_000

/**
 * A transaction of MongoDB on one group. Its reads are of one snapshot, and two transactions that write the same document conflict. That alone
 * would let two of them each read what the other one changes. So a commit also touches what was read: each record, and the head of the group
 * where it met a key without a record or listed some. A commit that makes or removes a record touches the head, too.
 */
export class MongodbTransaction implements GroupTransaction {
  readonly #of: GroupsOf
  readonly #group: string
  readonly #session: GroupSession
  readonly #reader: GroupReader
  readonly #read = new Set<string>()
  #hasMetGap = false

  constructor(of: GroupsOf, group: string, call: GroupCall) {
    this.#of = of
    this.#group = group
    this.#session = new GroupSession(of.client, of.commands, call)
    this.#reader = new GroupReader(of, (command) => this.#session.run(command))
  }

  async get(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]> {
    const ids = keys.map((key) => idOf(this.#group, key))
    const found = await this.#reader.byIds(ids)
    for (const id of ids) {
      if (found.has(id)) this.#read.add(id)
      else this.#hasMetGap = true
    }
    return ids.map((id) => found.get(id))
  }

  async list(range: GroupRange): Promise<readonly GroupEntry[]> {
    const entries = await this.#reader.list(this.#group, range)
    for (const { key } of entries) this.#read.add(idOf(this.#group, key))
    this.#hasMetGap = true
    return entries
  }

  async commit(changes: readonly GroupChange[]): Promise<boolean> {
    try {
      if (changes.length > 0) await this.#write(changes)
      else await this.rollback()
      return await this.#session.commit()
    } catch (error) {
      await this.rollback()
      if (isStoreError(error) && error.code === 'CONDITION_FAILED') return false
      throw error
    }
  }

  rollback(): Promise<void> {
    return this.#session.end()
  }

  async #write(given: readonly GroupChange[]): Promise<void> {
    const changes = [...given].sort((a, b) => compareKeys(a.key, b.key))
    const changed = new Set(changes.map(({ key }) => idOf(this.#group, key)))
    const set = changes.filter(({ value }) => value !== undefined)
    const touched = [...this.#read].filter((id) => !changed.has(id))
    const made = await this.#update([
      ...set.map(({ key, value }) => ({
        q: { _id: idOf(this.#group, key) },
        u: { $set: { v: value } },
        upsert: true,
      })),
      ...touched.map((id) => ({ q: { _id: id }, u: { $inc: { n: 1 } } })),
    ])
    const gone = changes.filter(({ value }) => value === undefined).map(({ key }) => idOf(this.#group, key))
    const removed = gone.length === 0 ? 0 : await this.#remove(gone)
    if (made + removed > 0 || this.#hasMetGap) await this.#touchHead()
  }

  /** Returns how many documents were made. */
  async #update(updates: readonly Document[]): Promise<number> {
    let made = 0
    for (let at = 0; at < updates.length; at += mostStatements) {
      const command = { update: this.#of.collection, updates: updates.slice(at, at + mostStatements) }
      const { upserted = [] } = await this.#session.run(command, true)
      made += upserted.length
    }
    return made
  }

  async #remove(ids: readonly string[]): Promise<number> {
    const deletes = [{ q: { _id: { $in: ids } }, limit: 0 }]
    const { n } = await this.#session.run({ delete: this.#of.collection, deletes }, true)
    return Number(n)
  }

  async #touchHead(): Promise<void> {
    const u = { $inc: { n: 1 }, $set: { at: wallClock() } }
    await this.#update([{ q: { _id: headOf(this.#group) }, u, upsert: true }])
  }
}
