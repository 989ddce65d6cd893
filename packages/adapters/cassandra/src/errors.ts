import { type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import { causeOf, isUntrusted, unanswered, unreachable } from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'

/** Facts about a failed statement besides the error. */
export interface Failed {
  /** The contact points, for messages. */
  readonly where: string
  readonly isWrite: boolean
  /** `keyspace.table`. */
  readonly table: string
  /** Masked in causes. */
  readonly secrets: readonly string[]
}

/** The meaning of a server error. */
interface Meaning {
  readonly code: ErrorCode
  readonly message: string
  readonly retryable?: boolean
}

const notAlive: Meaning = {
  code: 'UNAVAILABLE',
  message:
    'Too few replicas are alive for this consistency level, or the node is not ready; nothing was changed.',
}
const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message: 'Cassandra rejected the user. Check user, password and permissions.',
}
const overloaded: Meaning = {
  code: 'OVERLOADED',
  message: 'The node is overloaded and refused the statement; nothing was changed.',
}

/** Refusals by number: https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec section 9 */
const refusals: ReadonlyMap<number, Meaning> = new Map([
  [0x0100, denied],
  [0x1000, notAlive],
  [0x1001, overloaded],
  [0x1002, notAlive],
  [0x1003, notAlive],
  [0x2100, denied],
])

/** For a write these say that some replicas may have it: server error, timeouts, failures, an unknown CAS. */
const unsettled: ReadonlySet<number> = new Set([0x0000, 0x1100, 0x1200, 0x1300, 0x1500, 0x1700])
const invalid = 0x2200
const unprepared = 0x2500
const protocolError = 0x000a

/** A driver's error, as far as it is looked at. Classes are told by name: a client may come from another copy. */
interface DriverError extends Error {
  readonly code?: unknown
  readonly isSocketError?: boolean
  readonly requestNotWritten?: boolean
  readonly innerErrors?: Readonly<Record<string, unknown>> | null
}

/** An error of cassandra-driver as a `StoreError`. */
export function cassandraError(error: unknown, failed: Failed): StoreError {
  if (isStoreError(error)) return error
  const { where, isWrite, secrets } = failed
  const cause = causeOf(error, secrets)
  const { name, code, isSocketError, requestNotWritten, message } = error as DriverError
  if (name === 'NoHostAvailableError') return noHost(error as DriverError, cause, failed)
  if (name === 'AuthenticationError') return of(denied, cause)
  if (name === 'BusyConnectionError') return of(overloaded, cause)
  if (isSocketError === true && requestNotWritten === true) return unreachable(where, cause)
  if (isSocketError === true || name === 'OperationTimedOutError') return unanswered(where, isWrite, cause)
  if (name === 'ResponseError' && typeof code === 'number') return refused(code, message, cause, failed)
  if (namesCenter(error as DriverError)) return noCenter(cause)
  return isWrite
    ? unanswered(where, isWrite, cause)
    : new StoreError('UNAVAILABLE', 'cassandra-driver failed; see the cause.', {
        cause,
        retryable: false,
      })
}

function refused(code: number, message: string, cause: Error, failed: Failed): StoreError {
  const meaning = refusals.get(code)
  if (meaning !== undefined) return of(meaning, cause)
  if (unsettled.has(code)) return unsettledError(code, cause, failed)
  if (code === unprepared) return noTable(failed.table, cause)
  if (code === invalid && /does not exist|unconfigured (table|columnfamily)/i.test(message))
    return noTable(failed.table, cause)
  // The server has no code of its own for it.
  if (code === invalid && /oversized mutation|exceeds? (the )?max/i.test(message))
    return new StoreError('VALUE_TOO_LARGE', 'The value is larger than the server allows.', { cause })
  if (code === protocolError && /paging state/i.test(message))
    return new StoreError(
      'INVALID_ARGUMENT',
      'The cursor was not issued by this cluster. Start the scan without it.',
      { cause },
    )
  const text = `Cassandra refused the statement (error 0x${code.toString(16)}); see the cause.`
  return new StoreError('UNAVAILABLE', text, { cause, retryable: false })
}

function unsettledError(code: number, cause: Error, { isWrite, where }: Failed): StoreError {
  if (isWrite) {
    const message = `Too few replicas of ${where} confirmed the write in time; it may or may not have taken effect. Read the key to find out.`
    return new StoreError('OUTCOME_UNKNOWN', message, { cause })
  }
  const message = `Too few replicas of ${where} answered the read (error 0x${code.toString(16)}).`
  return new StoreError('UNAVAILABLE', message, { cause })
}

/** No node took the statement: it was not sent, or refused before it was executed. */
function noHost({ innerErrors }: DriverError, cause: Error, failed: Failed): StoreError {
  const causes = Object.values(innerErrors ?? {}).filter((one) => isError(one)) as DriverError[]
  const inner = causes.map((one) => causeOf(one, failed.secrets))
  const [first = cause] = inner
  const names = (name: string): boolean => causes.some((one) => one.name === name)
  if (names('AuthenticationError')) return of(denied, first)
  if (names('BusyConnectionError')) return of(overloaded, first)
  if (causes.some(namesCenter)) return noCenter(first)
  if (causes.some(({ code }) => code === unprepared)) return noTable(failed.table, first)
  return unreachable(`Cassandra at ${failed.where}`, inner.find(isUntrusted) ?? first)
}

/** What the driver says of a `localDataCenter` that is none. */
function namesCenter({ name, message }: DriverError): boolean {
  return name === 'ArgumentError' && /data ?cent/i.test(message)
}

function noCenter(cause: Error): StoreError {
  const hint = 'Set localDataCenter (or datacenter in the URL) to a name that the cluster uses.'
  return new StoreError('INVALID_CONFIG', `The cluster has no data center of this name. ${hint}`, { cause })
}

/** The error for a missing table, or keyspace. */
export function noTable(table: string, cause?: Error): StoreError {
  return new StoreError(
    'NOT_PREPARED',
    `There is no table ${table}. Call prepareCassandra with these options once, or set prepare: true.`,
    cause === undefined ? {} : { cause },
  )
}

function of({ code, message, retryable }: Meaning, cause: Error): StoreError {
  return new StoreError(code, message, { cause, retryable })
}
