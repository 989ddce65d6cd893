import { randomBytes } from 'node:crypto'
import type { GroupCall } from '@unikv/core'
import { performance, wallClock } from '@unikv/core/platform'
import type { Connections } from '../client/connections.ts'
import { beyond, type GroupStatements } from './group-statements.ts'

/** Tokens that are removed at once. */
const together = 64
/** Longest time that their removal may take. */
const removeMs = 5_000
/** Tokens so old are of processes that have ended: no call asks for them any more. */
const forgottenMs = 86_400_000

/**
 * Each commit writes a token, so that its fate can be read after a lost answer. Tokens that are of no more use are removed
 * together, later; those that a process leaves behind, by a sweep.
 */
export class CommitTokens {
  readonly #connections: Connections
  readonly #statements: GroupStatements
  #done: Buffer[] = []

  constructor(connections: Connections, statements: GroupStatements) {
    this.#connections = connections
    this.#statements = statements
  }

  /** A new one: the time in 6 bytes, and 10 random bytes. */
  make(): Buffer {
    return Buffer.concat([timeBytes(wallClock()), randomBytes(10)])
  }

  /** The fate of its commit is known. */
  done(token: Buffer): void {
    this.#done.push(token)
    if (this.#done.length < together) return
    const tokens = this.#done.splice(0)
    this.#remove(this.#statements.remove(beyond, tokens))
  }

  /**
   * Whether the transaction of a token was committed. Waits until its connection, which is lost, is no longer in it.
   *
   * @throws {StoreError} if the server does not tell
   */
  async isCommitted(token: Buffer, { deadlineAt, signal }: GroupCall): Promise<boolean> {
    const { sql, values } = this.#statements.token(token)
    const rows = await this.#connections.execute<readonly unknown[]>(
      sql,
      values,
      { deadlineAt, signal },
      false,
    )
    return rows.length > 0
  }

  /** Remove what processes have left behind. */
  sweep(): void {
    this.#remove(this.#statements.oldTokens(timeBytes(wallClock() - forgottenMs)))
  }

  /** Nothing depends on it: a later sweep does it, too. */
  #remove({ sql, values }: ReturnType<GroupStatements['remove']>): void {
    const call = { deadlineAt: performance.now() + removeMs }
    this.#connections.execute(sql, values, call, true).catch(() => undefined)
  }
}

function timeBytes(time: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(Math.max(0, Math.floor(time)), 0, 6)
  return bytes
}
