import { type GroupCall, isStoreError, type StoreError } from '@unikv/core'
import { Deadlines, endedWith, leftMs, lostConflict, type Waiting } from '@unikv/core/adapter'
import { unwatch, watch } from '@unikv/core/platform'
import type { Connections } from '../client/connections.ts'
import { Failure, type LentConnection } from '../client/lent-connection.ts'
import { isConflict, mysqlError } from '../errors.ts'
import type { GroupStatement } from './group-statements.ts'

/** One timer for all transactions. */
const deadlines = new Deadlines<Waiting>()

/**
 * The connection of a transaction: it is lent for the first statement, and given back at the end, at the deadline and when the
 * signal is aborted. Locks of the transaction end with it.
 */
export class OpenSession implements Waiting {
  // Kept by `Deadlines`.
  expiresAt = 0
  place = -1
  readonly #connections: Connections
  readonly #call: GroupCall
  #beginning: Promise<LentConnection> | undefined
  #lent: LentConnection | undefined
  #isOver = false
  /** After an error there is nothing but to undo. */
  #failure: StoreError | undefined

  constructor(connections: Connections, call: GroupCall) {
    this.#connections = connections
    this.#call = call
    watch(call.signal, this)
    this.#wait()
  }

  /**
   * The rows, or the result, of a statement.
   *
   * @throws {StoreError} `CONDITION_FAILED` after a conflict
   */
  async ask<R>({ sql, values }: GroupStatement): Promise<R> {
    return this.#try(false, (lent) => lent.execute<R>(sql, values))
  }

  /** @throws {StoreError} `OUTCOME_UNKNOWN` without an answer */
  async commit(): Promise<void> {
    this.#call.sent = true
    await this.#try(true, (lent) => lent.run('COMMIT'))
    this.#end(false)
  }

  /** Commit what has changed nothing. */
  async end(): Promise<void> {
    if (this.#beginning !== undefined) await this.#try(false, (lent) => lent.run('COMMIT'))
    this.#end(false)
  }

  /** Undo everything: some errors undo but their statement. It never fails. */
  async undo(): Promise<void> {
    const lent = this.#lent
    if (this.#isOver || lent === undefined) return this.#end(false)
    await lent.run('ROLLBACK').then(
      () => this.#end(false),
      () => this.#end(true),
    )
  }

  /** The deadline has come. */
  expire(): void {
    if (leftMs(this.#call) > 0) this.#wait()
    else this.#cut()
  }

  /** The signal of the call was aborted. */
  handleEvent(): void {
    this.#cut()
  }

  async #try<R>(isWrite: boolean, work: (lent: LentConnection) => Promise<R>): Promise<R> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      return await work(await (this.#beginning ??= this.#begin()))
    } catch (error) {
      throw (this.#failure ??= this.#failed(error, isWrite))
    }
  }

  /** The level of isolation is for one transaction. The server refuses it inside of another one. */
  async #begin(): Promise<LentConnection> {
    if (this.#isOver) throw endedWith(this.#call, false, false)
    const lent = await this.#connections.lend(this.#call)
    this.#lent = lent
    // The end came between.
    if (this.#isOver) lent.release(false)
    await lent.run('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE')
    await lent.run('START TRANSACTION')
    return lent
  }

  #failed(error: unknown, isWrite: boolean): StoreError {
    if (isStoreError(error)) return error
    if (!(error instanceof Failure)) throw error
    const { reason, isSent } = error
    if (this.#isOver) return endedWith(this.#call, isWrite, isSent)
    if (error.spoils) this.#end(true)
    if (isConflict(reason)) return lostConflict(reason)
    return mysqlError(reason, { where: `MySQL at ${this.#connections.address}`, isWrite, sent: isSent })
  }

  /** The server does not notice a cut connection while a statement waits for a lock, which is therefore ended there. */
  #cut(): void {
    const waits = this.#lent?.isBusy === true ? this.#lent.thread : undefined
    this.#end(true)
    if (waits !== undefined) this.#connections.kill(waits)
  }

  #wait(): void {
    if (this.#call.deadlineAt !== Number.POSITIVE_INFINITY)
      deadlines.add(Math.max(0, leftMs(this.#call)), this)
  }

  #end(spoilt: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    deadlines.remove(this)
    unwatch(this.#call.signal, this)
    this.#lent?.release(spoilt)
  }
}
