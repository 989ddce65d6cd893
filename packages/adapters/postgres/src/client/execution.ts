import { type CallOptions, StoreError } from '@unikv/core'
import {
  type Deadlines,
  endedWith,
  endOf,
  type LastUses,
  leftMs,
  unreachable,
  type Waiting,
} from '@unikv/core/adapter'
import { postgresError, spoilsConnection } from '../errors.ts'
import { binaryRecord, type FoundRecord } from '../found-record.ts'
import type { Sql } from '../statements.ts'
import { bindMessage, type Parameter } from './bind-message.ts'
import type { PostgresConnection, PostgresSubmission, PostgresWire, Row } from './postgres-client.ts'
import { type RowTaker, type RowTap, tapOf } from './row-tap.ts'

/** What all executions on one pool share. */
export interface Surroundings {
  /** The server in messages, without user and password. */
  readonly place: string
  readonly deadlines: Deadlines<Waiting>
  readonly uses: LastUses<PostgresConnection>
}

/** A row as text, or the record in one that came as bytes. */
export type Answer = Row | FoundRecord

/** A statement, on behalf of a call. */
export interface Request {
  readonly sql: Sql
  readonly values: readonly Parameter[]
  readonly call: CallOptions
  readonly isWrite: boolean
}

/**
 * One statement on its way: ends once, with its answer or at its deadline. It writes itself to the connection, so it
 * knows whether it was sent.
 */
export class Execution implements PostgresSubmission, RowTaker, Waiting {
  // What `Deadlines` keeps of it.
  expiresAt = 0
  place = -1
  // What pg knows it by.
  readonly name: string
  readonly text: string
  callback: () => void = nothing
  readonly #call: CallOptions
  readonly #isWrite: boolean
  readonly #around: Surroundings
  readonly #resolve: (rows: readonly Answer[]) => void
  readonly #reject: (error: StoreError | undefined) => void
  readonly #message: Buffer
  readonly #rows: Answer[] = []
  readonly #isBinary: boolean
  #connection: PostgresConnection | undefined
  #tap: RowTap | undefined
  #isSent = false
  #isOver = false

  constructor(
    { sql: { name = '', text, isBinary = false }, values, call, isWrite }: Request,
    around: Surroundings,
    resolve: (rows: readonly Answer[]) => void,
    reject: (error: StoreError | undefined) => void,
  ) {
    this.name = name
    this.text = text
    this.#isBinary = isBinary
    this.#message = bindMessage(name, values, isBinary ? 'binary' : 'text')
    this.#call = call
    this.#isWrite = isWrite
    this.#around = around
    this.#resolve = resolve
    this.#reject = reject
    const restMs = leftMs(call)
    if (restMs < Number.POSITIVE_INFINITY) around.deadlines.add(Math.max(0, restMs), this)
  }

  /** There is a connection: off it goes, unless the call has ended. */
  start(connection: PostgresConnection): void {
    if (this.#isOver) return connection.release()
    this.#connection = connection
    const refusal = endOf(this.#call, false)
    if (refusal !== undefined) return this.#end(() => this.#reject(refusal), false)
    if (isInTransaction(connection)) return this.#end(() => this.#reject(lentInTransaction()), true)
    connection.query(this)
  }

  /** It will get no answer. */
  fail(error: unknown): void {
    this.#end(() => this.#reject(this.#failure(error)), spoilsConnection(error))
  }

  /** The deadline has come. The connection goes with the call, so that a late reply reaches nobody else. */
  expire(): void {
    this.#end(() => this.#reject(endedWith(this.#call, this.#isWrite, this.#isSent)), true)
  }

  /** pg's turn: the connection is free. What it returns is why nothing was sent. */
  submit(connection: PostgresWire): Error | null {
    if (this.#isOver || !connection.stream.writable)
      return unreachable(this.#around.place, new Error('The connection was closed meanwhile.'))
    this.#isSent = true
    if (this.#isWrite) this.#call.sent = true
    if (connection.parsedStatements[this.name] === undefined)
      connection.parse({ name: this.name, text: this.text, types: [] })
    if (this.#isBinary) (this.#tap = tapOf(connection))?.take(this)
    connection.stream.write(this.#message)
    return null
  }

  /** One row of the answer as bytes. */
  takeRow(bytes: Buffer, start: number): void {
    try {
      this.#rows.push(binaryRecord(bytes, start))
    } catch (error) {
      this.#end(() => this.#reject(this.#failure(error)), true)
    }
  }

  /** One row of the answer as text. */
  handleDataRow({ fields }: { readonly fields: Row }): void {
    this.#rows.push(fields)
  }

  /** The statement is done: the rows before it were all. */
  handleCommandComplete(): void {}

  /** The server has ended the transaction of the statement, and waits for the next one. */
  handleReadyForQuery(): void {
    this.#end(() => this.#resolve(this.#rows), false)
  }

  /** The server refused the statement, or the connection is lost. */
  handleError(error: unknown): void {
    this.fail(error)
  }

  #failure(error: unknown): StoreError {
    return postgresError(error, { where: this.#around.place, isWrite: this.#isWrite, sent: this.#isSent })
  }

  #giveBack(connection: PostgresConnection, spoilt: boolean): void {
    this.#around.uses.note(connection)
    connection.release(spoilt)
  }

  #end(settle: () => void, spoilt: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#around.deadlines.remove(this)
    this.#tap?.leave(this)
    this.callback()
    if (this.#connection !== undefined) this.#giveBack(this.#connection, spoilt)
    settle()
  }
}

/** The question whether a connection lives: the server answers the end of a message that never began. */
export class Question implements PostgresSubmission {
  readonly name = ''
  readonly text = ''
  callback: () => void = nothing
  readonly #answered: (lives?: boolean) => void

  constructor(answered: (lives?: boolean) => void) {
    this.#answered = answered
  }

  /** Ask. */
  submit({ stream }: PostgresWire): Error | null {
    stream.write(sync)
    return null
  }

  /** There are no rows. */
  handleDataRow(): void {}

  /** There is no statement. */
  handleCommandComplete(): void {}

  /** It lives. */
  handleReadyForQuery(): void {
    this.callback()
    this.#answered()
  }

  /** The connection is lost, or not what it should be. */
  handleError(): void {
    this.callback()
    this.#answered(false)
  }
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-SYNC */
const sync = Buffer.from([0x53, 0, 0, 0, 4])

function nothing(): void {}

/** A statement inside someone's transaction would be undone with it, though it was acknowledged. */
export function isInTransaction(connection: PostgresConnection): boolean {
  const status = connection.getTransactionStatus?.()
  return status === 'T' || status === 'E'
}

/** The error of a statement for such a connection. */
export function lentInTransaction(): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    'A connection was returned to the pool inside a transaction; it is closed, and nothing was sent.',
  )
}
