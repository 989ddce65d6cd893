import {
  type Bytes,
  type GroupCall,
  type GroupChange,
  type GroupEntry,
  type GroupRange,
  type GroupTransaction,
  isStoreError,
  StoreError,
} from '@unikv/core'
import { compareKeys, isOutcomeUnknown, settled } from '@unikv/core/adapter'
import { parts } from '../batches/parts.ts'
import { checkPart } from './check-part.ts'
import type { GroupParts } from './group-parts.ts'
import { entriesOf, type FoundRow, inOrder } from './group-rows.ts'
import { beyond, type GroupRow } from './group-statements.ts'
import { OpenSession } from './open-session.ts'

const noBytes = Buffer.alloc(0)
/** Bytes of a row beside its key and value, amply. */
const overhead = 64
/** Most rows of one statement. */
const mostRows = 256

/** A serializable transaction of InnoDB on one group. */
export class MysqlTransaction implements GroupTransaction {
  readonly #parts: GroupParts
  readonly #group: string
  readonly #call: GroupCall
  readonly #session: OpenSession

  constructor(of: GroupParts, group: string, call: GroupCall) {
    this.#parts = of
    this.#group = group
    this.#call = call
    this.#session = new OpenSession(of.connections, call)
  }

  async get(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]> {
    if (keys.length === 0) return []
    const asked = keys.map((key) => ({ group: this.#group, key }))
    // In one order, so that transactions do not wait for each other in a circle.
    const sorted = [...new Set(keys)].sort(compareKeys).map((key) => ({ group: this.#group, key }))
    const rows: FoundRow[] = []
    for (const statement of this.#parts.statements.reads(sorted, true))
      for (const row of await this.#session.ask<readonly FoundRow[]>(statement)) rows.push(row)
    return inOrder(asked, rows)
  }

  async list(range: GroupRange): Promise<readonly GroupEntry[]> {
    return entriesOf(await this.#session.ask(this.#parts.statements.list(this.#group, range, true)))
  }

  async commit(changes: readonly GroupChange[]): Promise<boolean> {
    try {
      for (const { key } of changes) checkPart(key)
      if (changes.length > 0) await this.#commitChanges(changes)
      else await this.#session.end()
      return true
    } catch (error) {
      await this.rollback()
      if (isStoreError(error) && error.code === 'CONDITION_FAILED') return false
      throw error
    }
  }

  rollback(): Promise<void> {
    return this.#session.undo()
  }

  async #commitChanges(changes: readonly GroupChange[]): Promise<void> {
    const { tokens } = this.#parts
    const token = tokens.make()
    await this.#write(changes, token.key)
    try {
      await this.#session.commit()
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error
      if (!(await settled(this.#call, error, () => tokens.fateOf(token, this.#call))))
        throw notCommitted(error)
    }
    tokens.done(token)
  }

  /** The token goes with the first rows. */
  async #write(changes: readonly GroupChange[], token: Buffer): Promise<void> {
    const { statements, maxStatementBytes } = this.#parts
    const sorted = [...changes].sort((a, b) => compareKeys(a.key, b.key))
    const rows = sorted.flatMap(({ key, value }) => (value === undefined ? [] : [this.#row(key, value)]))
    const all = [...rows, { row: [beyond, token, noBytes] as const, bytes: overhead }]
    for (let at = 0; at < all.length; at += mostRows)
      for (const part of parts(all.slice(at, at + mostRows), maxStatementBytes))
        await this.#session.ask(statements.upsert(part.map(({ row }) => row)))
    const removed = sorted.filter(({ value }) => value === undefined).map(({ key }) => key)
    for (let at = 0; at < removed.length; at += mostRows)
      await this.#session.ask(statements.remove(this.#group, removed.slice(at, at + mostRows)))
  }

  #row(key: string, value: Bytes): { readonly row: GroupRow; readonly bytes: number } {
    const { maxStatementBytes } = this.#parts
    const row = [Buffer.from(this.#group), Buffer.from(key), Buffer.from(value)] as const
    const bytes = row.reduce((sum, { length }) => sum + length, overhead)
    if (bytes <= maxStatementBytes) return { row, bytes }
    const message = 'The value is larger than the server allows (max_allowed_packet); nothing was changed.'
    throw new StoreError('VALUE_TOO_LARGE', message)
  }
}

function notCommitted(cause: StoreError): StoreError {
  const message = 'The connection was lost before the commit; nothing was changed.'
  return new StoreError('UNAVAILABLE', message, { cause })
}
