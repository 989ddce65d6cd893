import { isStoreError, type StoreError } from '@unikv/core'
import {
  causeOf,
  errorTable,
  type Failed,
  lost,
  type Meaning,
  told,
  unlisted,
  unreachable,
  untrusted,
} from '@unikv/core/adapter'

const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message: '{where} rejected the user. Check user, password and privileges.',
}

/** The state of a change on a standby. */
const readOnly = '25006'
/** The server's own name for the refusal of a setting: a standby has no serializable transactions, and says so with the state of a statement that was lost. */
const refusesSetting = 'call_enum_check_hook'

/** Keyed by SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const meanings = errorTable<string>(
  {
    of: ['40001', '40P01', '40000', '55P03', '57014'],
    code: 'UNAVAILABLE',
    message: 'The server rolled the statement back; nothing was changed.',
  },
  {
    of: [readOnly],
    code: 'UNAVAILABLE',
    message: 'The server is read-only at the moment (a failover?); nothing was changed.',
  },
  {
    of: ['26000', '42P05', '0A000'],
    code: 'UNAVAILABLE',
    message:
      'The connection no longer knows the prepared statement; nothing was changed. Behind a pooler that spreads statements over connections, set namedStatements: false.',
  },
  {
    of: ['25P02'],
    code: 'UNAVAILABLE',
    message: 'A connection was returned to the pool inside a transaction; nothing was changed.',
  },
  {
    of: ['53000', '53200', '53300', '53400'],
    code: 'OVERLOADED',
    message: 'The server accepts no more connections or statements at the moment; nothing was changed.',
  },
  { of: ['28000', '28P01', '42501'], ...denied },
  { of: ['54000'], code: 'VALUE_TOO_LARGE', message: 'The value is larger than the server allows.' },
  {
    of: ['53100'],
    code: 'STORE_FULL',
    message: 'The server has no space left; nothing was changed. Free space, or delete records.',
  },
  {
    of: ['22P02', '22P05', '22030', '22021', '54001'],
    code: 'INVALID_VALUE',
    message:
      'The server rejected the document: it is nested too deeply, or has text that the database cannot hold.',
  },
  { of: ['3D000'], code: 'NOT_PREPARED', message: '{where} has no such database{place}. Create it first.' },
  { of: ['3F000'], code: 'NOT_PREPARED', message: 'There is no such schema. Create it first.' },
  {
    of: ['42P01'],
    code: 'NOT_PREPARED',
    message: 'There is no such table. Call preparePostgres with these options once, or set prepare: true.',
  },
  {
    of: ['42703', '42804', '42846', '42883', '42P10'],
    code: 'CORRUPT',
    message: 'The table does not have the columns and the key that unikv created. Was it changed by hand?',
  },
)

/** After these the connection is of no more use: another one may lead to the new primary, or know nothing wrong. */
const spoiling: ReadonlySet<string> = new Set([readOnly, '26000', '42P05', '0A000', '25P02'])

/** Whether a serializable transaction lost a conflict with this error, or was chosen to end a deadlock. */
export function isConflict(error: unknown): boolean {
  const state = stateOf(error)
  return state === '40001' || state === '40P01'
}

/** Whether the connection that gave this error must not be used again. */
export function spoilsConnection(error: unknown): boolean {
  const state = stateOf(error)
  return state === undefined || spoiling.has(state) || endsConnection(error, state)
}

/** An error of pg as a `StoreError`. */
export function postgresError(error: unknown, failed: Failed): StoreError {
  if (isStoreError(error)) return error
  const state = stateOf(error)
  if (state === undefined) return lostError(causeOf(error), failed)
  const meaning = meanings.get(state)
  // An error that ends the connection while a statement runs does not tell the outcome of the statement, though its state
  // is known: with a full disk a commit may fail when its record is written already. Before a statement it is a refusal.
  const isRefusal = !failed.sent && meaning !== undefined
  if (!isRefusal && endsConnection(error, state)) return lost(failed, causeOf(error))
  return told(meaning ?? unlisted('The server', `SQLSTATE ${state}`), causeOf(error), {
    ...failed,
    place: quotedName(error),
  })
}

/** The name that a server quotes when it does not know it, by whichever quotes its language has. */
function quotedName(error: unknown): string {
  const name = /["„«“]([^"»“”]{1,63})["»“”]/.exec(causeOf(error).message)?.[1]
  return name === undefined ? '' : ` as ${name}`
}

/** The SQLSTATE that the server gave its error; errors of the network have none. */
function stateOf(error: unknown): string | undefined {
  const { code, severity, routine } = (error ?? {}) as Readonly<Record<string, unknown>>
  if (typeof code !== 'string' || typeof severity !== 'string') return undefined
  return code === '0A000' && routine === refusesSetting ? readOnly : code
}

/**
 * Whether the server ends the connection with this error: shutdown, `pg_terminate_backend`, idle too long, errors of
 * the protocol, a crash. The word for it depends on the server's language, except where it is ERROR: another word that
 * is unknown here is judged by the state.
 */
function endsConnection(error: unknown, state: string): boolean {
  if (/^(08|57P|25P03)/.test(state)) return true
  const { severity } = error as { readonly severity?: unknown }
  if (severity === 'FATAL' || severity === 'PANIC') return true
  return severity !== 'ERROR' && !meanings.has(state)
}

function lostError(cause: Error, failed: Failed): StoreError {
  if (neverSent.has(cause.message)) return unreachable(failed.where, cause)
  if (failed.sent) return lost(failed, cause)
  if (cause.message === 'Cannot use a pool after calling end on the pool')
    return told({ code: 'CLOSED', message: 'The pool of connections is closed.' }, cause)
  // pg gives no code where it finds out itself that there is no password to answer with, or no TLS.
  if (cause.message.startsWith('SASL: ')) return told(denied, cause, failed)
  // Both are what pg says when nothing came that it understands.
  if (/timeout expired|due to connection timeout|Unknown authenticationOk/.test(cause.message))
    return told({ code: 'UNAVAILABLE', message: mute }, cause, failed)
  // pg gives no code where the server has no TLS at all.
  return /SSL/.test(cause.message) ? untrusted(failed.where, cause) : lost(failed, cause)
}

const mute =
  '{where} cannot be reached in time, or something other than PostgreSQL answers there; nothing was sent. Check host and port.'

/** Errors of pg for a connection that broke before the statement came to it. */
const neverSent: ReadonlySet<string> = new Set([
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
])
