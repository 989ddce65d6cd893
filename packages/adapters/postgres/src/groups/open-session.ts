import { type GroupCall, isStoreError, type StoreError } from '@unikv/core'
import { Deadlines, endedWith, leftMs, lostConflict, type Waiting } from '@unikv/core/adapter'
import { unwatch, watch } from '@unikv/core/platform'
import type { Connections } from '../client/connections.ts'
import type { Answer } from '../client/execution.ts'
import { Failure, type LentConnection, type ServerProcess } from '../client/lent-connection.ts'
import type { Step } from '../client/pipeline.ts'
import type { Row } from '../client/postgres-client.ts'
import { isConflict, postgresError } from '../errors.ts'
import type { GroupStatements } from './group-statements.ts'

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
  readonly #statements: GroupStatements
  readonly #call: GroupCall
  #lending: Promise<LentConnection> | undefined
  #lent: LentConnection | undefined
  #isBegun = false
  #isOver = false
  /** After an error there is nothing but to undo. */
  #failure: StoreError | undefined

  constructor(connections: Connections, statements: GroupStatements, call: GroupCall) {
    this.#connections = connections
    this.#statements = statements
    this.#call = call
    watch(call.signal, this)
    this.#wait()
  }

  /**
   * The rows of the last of these statements.
   *
   * @throws {StoreError} `CONDITION_FAILED` after a conflict
   */
  async ask(steps: readonly Step[]): Promise<readonly Answer[]> {
    return this.#ask(steps, false)
  }

  /**
   * The process that serves the connection, and when the server started: asked once for each connection.
   *
   * @throws {StoreError} as `ask`
   */
  async server(): Promise<ServerProcess> {
    const known = this.#lent?.server
    if (known !== undefined) return known
    const [row] = await this.#ask([this.#step('server')], false)
    const [process, startedAt] = row as Row
    const server = [String(process), String(startedAt)] as const
    this.#lent?.knowServer(server)
    return server
  }

  /** @throws {StoreError} `CONDITION_FAILED` after a conflict, `OUTCOME_UNKNOWN` without an answer */
  async commit(): Promise<void> {
    this.#call.sent = true
    await this.#ask([this.#step('commit')], true)
    this.#end(false)
  }

  /** Commit what has changed nothing: reads are known to be of one state only then. */
  async end(): Promise<void> {
    if (this.#lending !== undefined) await this.#ask([this.#step('commit')], false)
    this.#end(false)
  }

  /** Undo everything. It never fails. */
  async undo(): Promise<void> {
    const lent = this.#lent
    if (this.#isOver || lent === undefined) return this.#end(false)
    await lent.ask([this.#step('rollback')]).then(
      () => this.#end(false),
      () => this.#end(true),
    )
  }

  /** The deadline has come. */
  expire(): void {
    if (leftMs(this.#call) > 0) this.#wait()
    else this.#end(true)
  }

  /** The signal of the call was aborted. */
  handleEvent(): void {
    this.#end(true)
  }

  async #ask(steps: readonly Step[], isWrite: boolean): Promise<readonly Answer[]> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      const lent = await (this.#lending ??= this.#lend())
      return await lent.ask(this.#begun(steps))
    } catch (error) {
      throw (this.#failure ??= this.#failed(error, isWrite))
    }
  }

  async #lend(): Promise<LentConnection> {
    if (this.#isOver) throw endedWith(this.#call, false, false)
    const lent = await this.#connections.lend(this.#call)
    this.#lent = lent
    // The end came between.
    if (this.#isOver) lent.release(false)
    return lent
  }

  /** The first statement takes the beginning along. */
  #begun(steps: readonly Step[]): readonly Step[] {
    if (this.#isBegun) return steps
    this.#isBegun = true
    return [this.#step('begin'), this.#step('byIndex'), ...steps]
  }

  #failed(error: unknown, isWrite: boolean): StoreError {
    if (isStoreError(error)) return error
    if (!(error instanceof Failure)) throw error
    const { reason, isSent } = error
    if (this.#isOver) return endedWith(this.#call, isWrite, isSent)
    if (error.spoils) this.#end(true)
    if (isConflict(reason)) return lostConflict(reason)
    return postgresError(reason, { where: this.#connections.place, isWrite, sent: isSent })
  }

  #step(name: 'begin' | 'byIndex' | 'server' | 'commit' | 'rollback'): Step {
    return { sql: this.#statements[name], values: [] }
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
