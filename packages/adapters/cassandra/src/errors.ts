import { isStoreError, StoreError } from '@unikv/core'
import {
  causeOf,
  errorTable,
  type Failed as FailedRequest,
  isUntrusted,
  type Meaning,
  told,
  unanswered,
  unlisted,
  unreachable,
} from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'

/** A failed statement; `where` are the contact points, `place` is `keyspace.table`. */
export interface Failed extends Omit<FailedRequest, 'sent'> {
  readonly place: string
  /** Masked in causes. */
  readonly secrets: readonly string[]
}

const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message: 'Cassandra rejected the user. Check user, password and permissions.',
}
const overloaded: Meaning = {
  code: 'OVERLOADED',
  message: 'The node is overloaded and refused the statement; nothing was changed.',
}
const missing: Meaning = {
  code: 'NOT_PREPARED',
  message: 'There is no table {place}. Call prepareCassandra with these options once, or set prepare: true.',
}
const noCenter: Meaning = {
  code: 'INVALID_CONFIG',
  message:
    'The cluster has no data center of this name. Set localDataCenter (or datacenter in the URL) to a name that the cluster uses.',
}

const unprepared = 0x2500

/** Keyed by number: https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec section 9 */
const meanings = errorTable<number>(
  { of: [0x0100, 0x2100], ...denied },
  {
    of: [0x1000, 0x1002, 0x1003],
    code: 'UNAVAILABLE',
    message:
      'Too few replicas are alive for this consistency level, or the node is not ready; nothing was changed.',
  },
  { of: [0x1001], ...overloaded },
  // Server error, timeouts, failures, an unknown CAS: some replicas may have a write.
  {
    of: [0x0000, 0x1100, 0x1200, 0x1300, 0x1500, 0x1700],
    code: 'UNAVAILABLE',
    message: 'Too few replicas of {where} answered the read; the cause says why.',
    unsettled: 'Too few replicas of {where} confirmed the write in time',
  },
  { of: [unprepared], ...missing },
)

/** Errors that the server tells apart by words only, by the number that it gives with them. */
const words: readonly (readonly [number, RegExp, Meaning])[] = [
  [0x2200, /does not exist|unconfigured (table|columnfamily)/i, missing],
  [
    0x2200,
    /oversized mutation|exceeds? (the )?max/i,
    { code: 'VALUE_TOO_LARGE', message: 'The value is larger than the server allows.' },
  ],
  [
    0x000a,
    /paging state/i,
    {
      code: 'INVALID_ARGUMENT',
      message: 'The cursor was not issued by this cluster. Start the scan without it.',
    },
  ],
]

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
  const known = meaningOf(error as DriverError)
  if (known !== undefined) return told(known, cause, failed)
  if (isSocketError === true && requestNotWritten === true) return unreachable(where, cause)
  if (isSocketError === true || name === 'OperationTimedOutError') return unanswered(where, isWrite, cause)
  if (name === 'ResponseError' && typeof code === 'number')
    return told(refusalOf(code, message), cause, failed)
  if (isWrite) return unanswered(where, isWrite, cause)
  const text = `cassandra-driver failed${/^\w{1,40}$/.test(String(name)) ? ` (${name})` : ''}; see the cause.`
  return new StoreError('UNAVAILABLE', text, { cause, retryable: false })
}

/** Meaning of an error of the driver without an answer of the server. */
function meaningOf({ name, message }: DriverError): Meaning | undefined {
  if (name === 'AuthenticationError') return denied
  if (name === 'BusyConnectionError') return overloaded
  // The error of the driver for a `localDataCenter` that does not exist.
  return name === 'ArgumentError' && /data ?cent/i.test(message) ? noCenter : undefined
}

function refusalOf(code: number, message: string): Meaning {
  return (
    meanings.get(code) ??
    words.find(([of, said]) => of === code && said.test(message))?.[2] ??
    unlisted('Cassandra', `error 0x${code.toString(16)}`)
  )
}

/** No node took the statement: it was not sent, or refused before it was executed. */
function noHost({ innerErrors }: DriverError, cause: Error, failed: Failed): StoreError {
  const causes = Object.values(innerErrors ?? {}).filter((one) => isError(one)) as DriverError[]
  const inner = causes.map((one) => causeOf(one, failed.secrets))
  const [first = cause] = inner
  const known = new Set(causes.map(meaningOf))
  const meaning = [denied, overloaded, noCenter].find((one) => known.has(one))
  if (meaning !== undefined) return told(meaning, first, failed)
  if (causes.some(({ code }) => code === unprepared)) return noTable(failed.place, first)
  return unreachable(`Cassandra at ${failed.where}`, inner.find(isUntrusted) ?? first)
}

/** The error for a missing table, or keyspace. */
export function noTable(table: string, cause?: Error): StoreError {
  return told(missing, cause, { where: 'Cassandra', isWrite: false, place: table })
}
