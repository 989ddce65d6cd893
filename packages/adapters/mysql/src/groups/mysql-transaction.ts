import {
  type Bytes,
  type GroupCall,
  type GroupChange,
  type GroupEntry,
  type GroupRange,
  StoreError,
} from '@unikv/core'
import { checkGroupKey, type Fate } from '@unikv/core/adapter'
import { SqlTransaction } from '@unikv/core/sql-client'
import { parts } from '../batches/parts.ts'
import type { Connections } from '../client/connections.ts'
import type { CommitToken, CommitTokens } from './commit-tokens.ts'
import { entriesOf, type FoundRow, inOrder } from './group-rows.ts'
import { beyond, type GroupRow, type GroupStatements } from './group-statements.ts'
import { maxPartBytes } from './group-table.ts'
import { OpenSession } from './open-session.ts'

const noBytes = Buffer.alloc(0)
/** Bytes of a row beside its key and value, amply. */
const overhead = 64
/** Most rows of one statement. */
const mostRows = 256

/** Parts that the groups and their transactions share. */
export interface GroupParts {
  readonly connections: Connections
  readonly statements: GroupStatements
  readonly tokens: CommitTokens
  /** Most bytes of keys and values in one statement. */
  readonly maxStatementBytes: number
}

/** A serializable transaction of InnoDB on one group. */
export class MysqlTransaction extends SqlTransaction<OpenSession, CommitToken> {
  readonly #parts: GroupParts

  constructor(of: GroupParts, group: string, call: GroupCall) {
    super(group, new OpenSession(of.connections, call), call)
    this.#parts = of
  }

  async list(range: GroupRange): Promise<readonly GroupEntry[]> {
    return entriesOf(await this.session.ask(this.#parts.statements.list(this.group, range, true)))
  }

  protected check(key: string): void {
    checkGroupKey(key, undefined, maxPartBytes)
  }

  protected async read(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]> {
    const asked = keys.map((key) => ({ group: this.group, key }))
    const rows: FoundRow[] = []
    for (const statement of this.#parts.statements.reads(asked, true))
      for (const row of await this.session.ask<readonly FoundRow[]>(statement)) rows.push(row)
    return inOrder(asked, rows)
  }

  /** The token goes with the first rows. */
  protected async write(changes: readonly GroupChange[]): Promise<CommitToken> {
    const { statements, maxStatementBytes, tokens } = this.#parts
    const token = tokens.make()
    const rows = changes.flatMap(({ key, value }) => (value === undefined ? [] : [this.#row(key, value)]))
    const all = [...rows, { row: [beyond, token.key, noBytes] as const, bytes: overhead }]
    for (let at = 0; at < all.length; at += mostRows)
      for (const part of parts(all.slice(at, at + mostRows), maxStatementBytes))
        await this.session.ask(statements.upsert(part.map(({ row }) => row)))
    const removed = changes.filter(({ value }) => value === undefined).map(({ key }) => key)
    for (let at = 0; at < removed.length; at += mostRows)
      await this.session.ask(statements.remove(this.group, removed.slice(at, at + mostRows)))
    return token
  }

  protected fateOf(token: CommitToken, call: GroupCall): Promise<Fate> {
    return this.#parts.tokens.fateOf(token, call)
  }

  protected override done(token: CommitToken): void {
    this.#parts.tokens.done(token)
  }

  #row(key: string, value: Bytes): { readonly row: GroupRow; readonly bytes: number } {
    const { maxStatementBytes } = this.#parts
    const row = [Buffer.from(this.group), Buffer.from(key), Buffer.from(value)] as const
    const bytes = row.reduce((sum, { length }) => sum + length, overhead)
    if (bytes <= maxStatementBytes) return { row, bytes }
    const message = 'The value is larger than the server allows (max_allowed_packet); nothing was changed.'
    throw new StoreError('VALUE_TOO_LARGE', message)
  }
}
