import { type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import { causeOf, unanswered, unreachable, untrusted } from '@unikv/core/adapter'

/** How far a statement got. Until it was sent, nothing can have come of it. */
export type Progress = 'unsent' | 'read sent' | 'write sent'

/** The meaning of a server error. */
interface Meaning {
  readonly code: ErrorCode
  readonly message: string
  readonly retryable?: boolean
}

const rolledBack: Meaning = {
  code: 'UNAVAILABLE',
  message: 'The server rolled the statement back; nothing was changed.',
}
const readOnly: Meaning = {
  code: 'UNAVAILABLE',
  message: 'The server is read-only at the moment (a failover?); nothing was changed.',
}
const forgotten: Meaning = {
  code: 'UNAVAILABLE',
  message:
    'The connection no longer knows the prepared statement; nothing was changed. Behind a pooler that spreads statements over connections, set namedStatements: false.',
}
const inTransaction: Meaning = {
  code: 'UNAVAILABLE',
  message: 'A connection was returned to the pool inside a transaction; nothing was changed.',
}
const busy: Meaning = {
  code: 'OVERLOADED',
  message: 'The server accepts no more connections or statements at the moment; nothing was changed.',
}
const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message: 'The server rejected the user. Check user, password and privileges.',
}
const tooLarge: Meaning = { code: 'VALUE_TOO_LARGE', message: 'The value is larger than the server allows.' }
const full: Meaning = {
  code: 'STORE_FULL',
  message: 'The server has no space left; nothing was changed. Free space, or delete records.',
}
const noDocument: Meaning = {
  code: 'INVALID_VALUE',
  message:
    'The server rejected the document: it is nested too deeply, or has text that the database cannot hold.',
}
const noDatabase: Meaning = { code: 'NOT_PREPARED', message: 'There is no such database. Create it first.' }
const noSchema: Meaning = { code: 'NOT_PREPARED', message: 'There is no such schema. Create it first.' }
const noTable: Meaning = {
  code: 'NOT_PREPARED',
  message: 'There is no such table. Call preparePostgres with these options once, or set prepare: true.',
}

const altered: Meaning = {
  code: 'CORRUPT',
  message: 'The table does not have the columns and the key that unikv created. Was it changed by hand?',
}

/** By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const meanings: ReadonlyMap<string, Meaning> = new Map([
  ...states(rolledBack, '40001', '40P01', '40000', '55P03', '57014'),
  ...states(readOnly, '25006'),
  ...states(forgotten, '26000', '42P05', '0A000'),
  ...states(inTransaction, '25P02'),
  ...states(busy, '53000', '53200', '53300', '53400'),
  ...states(denied, '28000', '28P01', '42501'),
  ...states(tooLarge, '54000'),
  ...states(full, '53100'),
  ...states(noDocument, '22P02', '22P05', '22030', '22021', '54001'),
  ...states(noDatabase, '3D000'),
  ...states(noSchema, '3F000'),
  ...states(noTable, '42P01'),
  ...states(altered, '42703', '42804', '42846', '42883', '42P10'),
])

/** After these the connection is of no more use: another one may lead to the new primary, or know nothing wrong. */
const spoiling: ReadonlySet<string> = new Set(['25006', '26000', '42P05', '0A000', '25P02'])

/** Whether the connection that gave this error must not be used again. */
export function spoilsConnection(error: unknown): boolean {
  const state = stateOf(error)
  return state === undefined || spoiling.has(state) || endsConnection(error, state)
}

/** An error of pg as a `StoreError`. `place` names the server without user and password. */
export function postgresError(error: unknown, progress: Progress, place: string): StoreError {
  if (isStoreError(error)) return error
  const state = stateOf(error)
  if (state === undefined) return lost(error, progress, place)
  const meaning = meanings.get(state)
  // What ends the connection while a statement runs does not say what became of the statement, though its state is
  // known: with a full disk a commit may fail when its record is written already. Before a statement it is a refusal.
  const isRefusal = progress === 'unsent' && meaning !== undefined
  if (!isRefusal && endsConnection(error, state)) return broken(progress, place, causeOf(error))
  const { code, message, retryable } = meaning ?? unknownState(state)
  return new StoreError(code, message, { cause: causeOf(error), retryable })
}

function states(meaning: Meaning, ...of: readonly string[]): readonly (readonly [string, Meaning])[] {
  return of.map((state) => [state, meaning])
}

/** The SQLSTATE that the server gave its error; errors of the network have none. */
function stateOf(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown }
  return typeof code === 'string' && typeof severity === 'string' ? code : undefined
}

/**
 * Whether the server ends the connection with this error: shutdown, `pg_terminate_backend`, idle too long, errors of
 * the protocol, a crash. The word for it depends on the server's language, except where it is ERROR: another word that
 * nobody knows here is judged by the state.
 */
function endsConnection(error: unknown, state: string): boolean {
  if (/^(08|57P|25P03)/.test(state)) return true
  const { severity } = error as { readonly severity?: unknown }
  if (severity === 'FATAL' || severity === 'PANIC') return true
  return severity !== 'ERROR' && !meanings.has(state)
}

function unknownState(state: string): Meaning {
  return {
    code: 'UNAVAILABLE',
    message: `The server refused the statement (SQLSTATE ${state}); see the cause.`,
    retryable: false,
  }
}

function lost(error: unknown, progress: Progress, place: string): StoreError {
  const cause = causeOf(error)
  if (neverSent.has(cause.message)) return unreachable(place, cause)
  if (progress !== 'unsent') return broken(progress, place, cause)
  if (cause.message === 'Cannot use a pool after calling end on the pool')
    return new StoreError('CLOSED', 'The pool of connections is closed.', { cause })
  // pg gives no code where it finds out itself that there is no password to answer with, or no TLS.
  if (cause.message.startsWith('SASL: ')) return new StoreError(denied.code, denied.message, { cause })
  // pg gives no code where the server has no TLS at all.
  return /SSL/.test(cause.message) ? untrusted(place, cause) : unreachable(place, cause)
}

/** The error for a connection that is no more. */
function broken(progress: Progress, place: string, cause: Error): StoreError {
  return progress === 'unsent'
    ? unreachable(place, cause)
    : unanswered(place, progress === 'write sent', cause)
}

/** What pg says of a connection that broke before the statement came to it. */
const neverSent: ReadonlySet<string> = new Set([
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
])
