import { Bounded, endedWith } from '../adapter/attempt.ts'
import { lostConflict } from '../adapter/groups/group-keys.ts'
import { isStoreError, type StoreError } from '../contract/errors.ts'
import type { GroupCall } from '../contract/groups.ts'
import type { SqlPool } from './lender.ts'
import { Failure } from './lent.ts'

/** Where sessions have their connections from. */
export interface Sessions<L> {
  readonly of: Pick<SqlPool<never>, 'errorOf' | 'spoils' | 'isConflict'>
  /** A connection for a transaction. */
  readonly lend: (call: GroupCall) => Promise<L>
}

/** A connection that was lent. */
export interface Held {
  /** Give it back; a spoilt one is cut. */
  release(spoilt: boolean): void
}

/**
 * The connection of a transaction: it is lent for the first statement, and given back at the end, at the deadline and when the
 * signal is aborted. Locks of the transaction end with it.
 */
export abstract class Session<L extends Held> extends Bounded {
  readonly #from: Sessions<L>
  #beginning: Promise<L> | undefined
  protected lent: L | undefined
  #isOver = false
  /** After an error there is nothing but to undo. */
  #failure: StoreError | undefined

  constructor(from: Sessions<L>, call: GroupCall) {
    super(call)
    this.#from = from
  }

  /** @throws {StoreError} `CONDITION_FAILED` after a conflict, `OUTCOME_UNKNOWN` without an answer */
  async commit(): Promise<void> {
    this.call.sent = true
    await this.attempt((lent) => this.say(lent, 'COMMIT'), true)
    this.#end(false)
  }

  /** Commit what has changed nothing: reads are known to be of one state only then. */
  async end(): Promise<void> {
    if (this.#beginning !== undefined) await this.attempt((lent) => this.say(lent, 'COMMIT'))
    this.#end(false)
  }

  /** Undo everything: some errors undo but their statement. It never fails. */
  async undo(): Promise<void> {
    const { lent } = this
    if (this.#isOver || lent === undefined) return this.#end(false)
    await this.say(lent, 'ROLLBACK').then(
      () => this.#end(false),
      () => this.#end(true),
    )
  }

  /** Send one of these. */
  protected abstract say(lent: L, word: 'COMMIT' | 'ROLLBACK'): Promise<unknown>

  /** Called once, with the connection. */
  protected begin(_lent: L): unknown {
    return undefined
  }

  /** The call is over. */
  protected cut(): void {
    this.#end(true)
  }

  /**
   * The answer to statements.
   *
   * @throws {StoreError} `CONDITION_FAILED` after a conflict
   */
  protected async attempt<R>(work: (lent: L) => Promise<R>, isWrite = false): Promise<R> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      return await work(await (this.#beginning ??= this.#begin()))
    } catch (error) {
      throw (this.#failure ??= this.#failed(error, isWrite))
    }
  }

  async #begin(): Promise<L> {
    if (this.#isOver) throw endedWith(this.call, false, false)
    const lent = await this.#from.lend(this.call)
    this.lent = lent
    // The end came between.
    if (this.#isOver) lent.release(false)
    await this.begin(lent)
    return lent
  }

  #failed(error: unknown, isWrite: boolean): StoreError {
    if (isStoreError(error)) return error
    if (!(error instanceof Failure)) throw error
    const { reason, isSent } = error
    const { of } = this.#from
    if (this.#isOver) return endedWith(this.call, isWrite, isSent)
    if (of.spoils(reason)) this.#end(true)
    return of.isConflict(reason) ? lostConflict(reason) : of.errorOf(reason, isWrite, isSent)
  }

  #end(spoilt: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.forget()
    this.lent?.release(spoilt)
  }
}
