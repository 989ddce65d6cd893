import { randomBytes } from 'node:crypto'
import type { GroupCall } from '@unikv/core'
import type { Fate } from '@unikv/core/adapter'
import { monotonicClock, wallClock } from '@unikv/core/platform'
import type { Connections } from '../client/connections.ts'
import { beyond, type GroupStatement, type GroupStatements } from './group-statements.ts'

/** Tokens that are removed at once. */
const together = 64
/** Longest time that their removal may take. */
const removeMs = 5_000
/** Tokens of this age, by the server's clock, belong to processes that have ended. */
const forgottenMs = 86_400_000
/** A token of this age that is missing was never there. The age is the greater one by the server's clock and by one that is never set. */
const provingMs = forgottenMs / 2

/** The token of a commit. */
export interface CommitToken {
  /** Its key: the time of this process in 6 bytes, and 10 random bytes. */
  readonly key: Buffer
  readonly timeMs: number
  /** When it was made, on the monotonic clock. */
  readonly madeAt: number
}

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

  make(): CommitToken {
    const timeMs = Math.max(0, Math.floor(wallClock()))
    const time = Buffer.alloc(6)
    time.writeUIntBE(timeMs, 0, 6)
    return { key: Buffer.concat([time, randomBytes(10)]), timeMs, madeAt: monotonicClock() }
  }

  /** The fate of its commit is known. */
  done({ key }: CommitToken): void {
    this.#done.push(key)
    if (this.#done.length < together) return
    const tokens = this.#done.splice(0)
    this.#remove(this.#statements.remove(beyond, tokens))
  }

  /**
   * Read whether the transaction that wrote this token was committed. While its lost connection is still in that transaction, the read waits.
   *
   * @throws {StoreError} if the server does not tell
   */
  async fateOf({ key, timeMs, madeAt }: CommitToken, { deadlineAt, signal }: GroupCall): Promise<Fate> {
    const ask = ({ sql, values }: GroupStatement): Promise<readonly object[]> =>
      this.#connections.execute(sql, values, { deadlineAt, signal }, false)
    if ((await ask(this.#statements.token(key))).length > 0) return 'committed'
    const [clock] = await ask(this.#statements.clock())
    const ageMs = Math.max(Number((clock as ServerClock).ms) - timeMs, monotonicClock() - madeAt)
    return ageMs < provingMs ? 'not committed' : 'forgotten'
  }

  /** Remove what processes have left behind. */
  sweep(): void {
    this.#remove(this.#statements.oldTokens(forgottenMs))
  }

  /** Nothing depends on it: a later sweep does it, too. */
  #remove({ sql, values }: GroupStatement): void {
    const call = { deadlineAt: monotonicClock() + removeMs }
    this.#connections.execute(sql, values, call, true).catch(() => undefined)
  }
}

interface ServerClock {
  readonly ms: number | string | bigint
}
