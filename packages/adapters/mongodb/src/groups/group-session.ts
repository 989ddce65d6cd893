import { type GroupCall, isStoreError } from '@unikv/core'
import { attempt, callOptions, type Fate, isOutcomeUnknown, lostConflict, settled } from '@unikv/core/adapter'
import type { ClientSession, Document, MongoClient } from 'mongodb'
import { type Commands, optionsWith } from '../client/commands.ts'
import { writeConcernAt } from '../client/consistency.ts'
import { mongodbError } from '../errors.ts'

/** A write conflict, a key that another transaction made, a transaction that the server gave up, and a state that it no longer has. */
const conflictCodes: ReadonlySet<unknown> = new Set([112, 11000, 225, 239, 244, 246, 251])
const noSuchTransaction = 251

/** A transaction of the driver, which begins with its first command. Each command is within the call. */
export class GroupSession {
  readonly #client: MongoClient
  readonly #commands: Commands
  readonly #call: GroupCall
  #session: ClientSession | undefined

  constructor(client: MongoClient, commands: Commands, call: GroupCall) {
    this.#client = client
    this.#commands = commands
    this.#call = call
  }

  /**
   * A command of the transaction.
   *
   * @throws {StoreError} `CONDITION_FAILED` if the transaction has lost a conflict
   */
  async run(command: Document, isWrite = false): Promise<Document> {
    const session = (this.#session ??= this.#begun())
    const { database } = this.#commands.target
    const { deadlineAt, signal } = this.#call
    const call = callOptions({ deadlineAt, signal })
    try {
      const answer = await attempt(call, false, (ended) =>
        database.command(command, { ...optionsWith('primary', ended), session }),
      )
      const [failed] = (isWrite ? (answer['writeErrors'] ?? []) : []) as readonly { readonly code: unknown }[]
      if (failed === undefined) return answer
      throw Object.assign(new Error('A statement failed.'), { name: 'MongoServerError', code: failed.code })
    } catch (error) {
      if (isConflict(error)) throw lostConflict()
      // Nothing has an effect before the commit.
      throw mongodbError(error, { isWrite, sent: false, ...this.#commands.target })
    }
  }

  /**
   * Commit. If the answer is lost the server is asked again: it remembers a transaction.
   *
   * @throws {StoreError} `OUTCOME_UNKNOWN` if it cannot be told
   */
  async commit(): Promise<boolean> {
    const session = this.#session
    if (session === undefined) return true
    try {
      this.#call.sent = true
      await this.#send(session)
      return true
    } catch (error) {
      if (!isStoreError(error) || !isOutcomeUnknown(error)) throw error
      return await settled(this.#call, error, () => this.#fate(session))
    } finally {
      await this.end()
    }
  }

  /** Give up what was not committed. It never fails. */
  async end(): Promise<void> {
    const session = this.#session
    this.#session = undefined
    // A server that does not answer forgets the transaction by itself after a minute.
    await session?.endSession().catch(() => {})
  }

  #begun(): ClientSession {
    const session = this.#client.startSession()
    const writeConcern = writeConcernAt('majority', this.#commands.target.durability)
    session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern, readPreference: 'primary' })
    return session
  }

  async #send(session: ClientSession): Promise<void> {
    const { deadlineAt, signal } = this.#call
    try {
      await attempt(callOptions({ deadlineAt, signal }), true, () => session.commitTransaction())
    } catch (error) {
      if (isConflict(error)) throw lostConflict()
      throw mongodbError(error, { isWrite: true, sent: true, ...this.#commands.target })
    }
  }

  /** A commit that is sent again has the effect, or finds it there. */
  async #fate(session: ClientSession): Promise<Fate> {
    try {
      await session.commitTransaction()
      return 'committed'
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === noSuchTransaction) return 'not committed'
      throw mongodbError(error, { isWrite: false, sent: true, ...this.#commands.target })
    }
  }
}

function isConflict(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown }
  return name === 'MongoServerError' && conflictCodes.has(code)
}
