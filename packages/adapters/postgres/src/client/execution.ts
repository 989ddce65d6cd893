import { type CallOptions, StoreError } from '@unikv/core'
import { unreachable } from '@unikv/core/adapter'
import { Borrower, type Lender } from '@unikv/core/sql-client'
import { binaryRecord, type FoundRecord } from '../found-record.ts'
import type { Sql } from '../statements.ts'
import { bindMessage, type Parameter } from './bind-message.ts'
import type { PostgresConnection, PostgresSubmission, PostgresWire, Row } from './postgres-client.ts'
import { type RowTaker, type RowTap, tapOf } from './row-tap.ts'

/** A row as text, or the record in one that came as bytes. */
export type Answer = Row | FoundRecord

/** A statement, on behalf of a call. */
export interface Request {
  readonly sql: Sql
  readonly values: readonly Parameter[]
  readonly call: CallOptions
  readonly isWrite: boolean
}

/** One statement on its way. It writes itself to the connection, so it knows whether it was sent. */
export class Execution extends Borrower<PostgresConnection> implements PostgresSubmission, RowTaker {
  // pg knows the statement by these.
  readonly name: string
  readonly text: string
  callback: () => void = nothing
  readonly #place: string
  readonly #resolve: (rows: readonly Answer[]) => void
  readonly #message: Buffer
  readonly #rows: Answer[] = []
  readonly #isBinary: boolean
  #tap: RowTap | undefined

  constructor(
    from: Lender<PostgresConnection> & { readonly place: string },
    { sql: { name = '', text, isBinary = false }, values, call, isWrite }: Request,
    resolve: (rows: readonly Answer[]) => void,
    reject: (error: StoreError) => void,
  ) {
    super(from, call, isWrite, reject)
    this.name = name
    this.text = text
    this.#place = from.place
    this.#isBinary = isBinary
    this.#message = bindMessage(name, values, isBinary ? 'binary' : 'text')
    this.#resolve = resolve
  }

  /** pg's turn: the connection is free. Returns why nothing was sent, if so. */
  submit(connection: PostgresWire): Error | null {
    if (this.isOver || !connection.stream.writable)
      return unreachable(this.#place, new Error('The connection was closed meanwhile.'))
    this.isSent = true
    if (this.isWrite) this.call.sent = true
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
      this.fail(error, true)
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
    this.end(() => this.#resolve(this.#rows), false)
  }

  /** The server refused the statement, or the connection is lost. */
  handleError(error: unknown): void {
    this.fail(error)
  }

  protected use(connection: PostgresConnection): void {
    connection.query(this)
  }

  protected override forget(): void {
    super.forget()
    this.#tap?.leave(this)
    this.callback()
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

/** Why a connection is not used: a statement inside someone's transaction would be undone with it, though it was acknowledged. */
export function lentInTransaction(connection: PostgresConnection): StoreError | undefined {
  const status = connection.getTransactionStatus?.()
  if (status !== 'T' && status !== 'E') return undefined
  return new StoreError(
    'UNAVAILABLE',
    'A connection was returned to the pool inside a transaction; it is closed, and nothing was sent.',
  )
}
