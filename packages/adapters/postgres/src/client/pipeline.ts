import type { StoreError } from '@unikv/core'
import { unreachable } from '@unikv/core/adapter'
import { binaryRecord } from '../found-record.ts'
import type { Sql } from '../statements.ts'
import { bindMessage, closeMessage, type Parameter } from './bind-message.ts'
import type { Answer } from './execution.ts'
import type { PostgresSubmission, PostgresWire, Row } from './postgres-client.ts'
import { type RowTaker, type RowTap, tapOf } from './row-tap.ts'

/** A statement of a pipeline. */
export interface Step {
  readonly sql: Sql
  readonly values: readonly Parameter[]
}

/**
 * Several statements that go to a connection together: after one that fails the server skips the rest. The rows are those
 * of the last one.
 */
export class Pipeline implements PostgresSubmission, RowTaker {
  // pg remembers one name, and here are several: it is told of none.
  readonly name = ''
  readonly text: string
  callback: () => void = nothing
  /** Whether anything went out. */
  isSent = false
  readonly #steps: readonly Step[]
  readonly #place: string
  readonly #rows: Answer[] = []
  readonly #ended: (error: unknown, rows: readonly Answer[]) => void
  #wire: PostgresWire | undefined
  #tap: RowTap | undefined
  #done = 0
  #isOver = false

  /** `place` is the server in messages. `ended` is called once, with the error if there is one. */
  constructor(
    steps: readonly Step[],
    place: string,
    ended: (error: unknown, rows: readonly Answer[]) => void,
  ) {
    this.text = steps.map(({ sql }) => sql.text).join('; ')
    this.#steps = steps
    this.#place = place
    this.#ended = ended
  }

  /** pg's turn: the connection is free. Returns why nothing was sent. */
  submit(connection: PostgresWire): Error | null {
    if (!connection.stream.writable) return this.#unsent()
    this.#wire = connection
    this.isSent = true
    const last = this.#steps.length - 1
    if (this.#steps.some(({ sql }) => sql.isBinary === true)) (this.#tap = tapOf(connection))?.take(this)
    const ready: Buffer[] = []
    for (const [i, { sql, values }] of this.#steps.entries()) {
      const { name = '', text, isBinary = false } = sql
      if (connection.parsedStatements[name] === undefined) {
        // pg writes this itself, and the order counts.
        send(connection, ready.splice(0))
        prepare(connection, name, text)
      }
      ready.push(bindMessage(name, values, isBinary ? 'binary' : 'text', i === last))
    }
    send(connection, ready)
    return null
  }

  /** One row as bytes. */
  takeRow(bytes: Buffer, start: number): void {
    if (!this.#isLast) return
    try {
      this.#rows.push(binaryRecord(bytes, start))
    } catch (error) {
      this.#end(error)
    }
  }

  /** One row as text. */
  handleDataRow({ fields }: { readonly fields: Row }): void {
    if (this.#isLast) this.#rows.push(fields)
  }

  /** One of the statements is done. */
  handleCommandComplete(): void {
    this.#done++
  }

  /** All are done. */
  handleReadyForQuery(): void {
    this.#noteNames()
    this.#end(undefined)
  }

  /** The server refused a statement, or the connection is lost. */
  handleError(error: unknown): void {
    this.#end(error)
  }

  get #isLast(): boolean {
    return this.#done === this.#steps.length - 1
  }

  #unsent(): StoreError {
    return unreachable(this.#place, new Error('The connection was closed meanwhile.'))
  }

  /** All were prepared, as all were executed. */
  #noteNames(): void {
    const known = this.#wire?.parsedStatements as Record<string, string> | undefined
    if (known === undefined) return
    for (const { sql } of this.#steps) if (sql.name !== undefined) known[sql.name] = sql.text
  }

  #end(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#tap?.leave(this)
    this.callback()
    this.#ended(error, this.#rows)
  }
}

/**
 * Have a statement prepared. An earlier pipeline that failed may have prepared it already, so it is closed first; that is
 * not an error where there is none.
 */
function prepare(connection: PostgresWire, name: string, text: string): void {
  if (name !== '') connection.stream.write(closeMessage(name))
  connection.parse({ name, text, types: [] })
}

/** One write, and so one packet in most cases. */
function send({ stream }: PostgresWire, messages: readonly Buffer[]): void {
  const [first] = messages
  if (first !== undefined) stream.write(messages.length === 1 ? first : Buffer.concat(messages))
}

function nothing(): void {}
