/*
 * Whether a connection is inside a transaction that someone gave it back in: the server says so with every answer. A write
 * there is undone with that transaction, and a read may be long out of date.
 */

/** `SERVER_STATUS_IN_TRANS`. It is never set for a statement that is its own transaction. */
const inTransaction = 1

/** Whether a status of the server says so. */
export function isInTransaction(status: number | undefined): boolean {
  return status !== undefined && (status & inTransaction) !== 0
}

/** A statement of mysql2 on its way, by the steps of the driver: each takes a packet and returns the next step. */
export interface RunningStatement {
  readField?: Step
  /** The status that came between the columns and the rows. */
  status?: number
}

interface Steps {
  readonly readField: Step
  readonly fieldsEOF: Step
}

type Step = (this: RunningStatement, packet: Packet, connection: unknown) => unknown

interface Packet {
  isEOF(): boolean
  eofStatusFlags(): number
}

/** Let a statement of mysql2 keep the status that comes before its rows, which the driver drops. */
export function keepStatus(statement: RunningStatement | undefined): void {
  if (typeof statement?.readField === 'function') statement.readField = readField
}

/** Once for each column. */
const readField: Step = function (packet, connection) {
  const steps = stepsOf(this)
  const next = steps.readField.call(this, packet, connection)
  if (next === steps.readField) return readField
  return next === steps.fieldsEOF ? fieldsEnd : next
}

const fieldsEnd: Step = function (packet, connection) {
  if (packet.isEOF()) this.status = packet.eofStatusFlags()
  return stepsOf(this).fieldsEOF.call(this, packet, connection)
}

function stepsOf(statement: RunningStatement): Steps {
  return Object.getPrototypeOf(statement) as Steps
}
