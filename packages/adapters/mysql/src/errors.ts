import { type CallOptions, type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import { untrusted } from '@unikv/core/adapter'

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
const busy: Meaning = {
  code: 'OVERLOADED',
  message: 'The server accepts no more connections or statements at the moment.',
}
const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message: 'The server rejected the user. Check user, password and privileges.',
}
const tooLarge: Meaning = {
  code: 'VALUE_TOO_LARGE',
  message: 'The value is larger than the server allows (max_allowed_packet).',
}
const full: Meaning = {
  code: 'STORE_FULL',
  message: 'The server has no space left; nothing was changed. Free space, or delete records.',
}
const noDocument: Meaning = {
  code: 'INVALID_VALUE',
  message: 'The server rejected the document: it is nested too deeply, or is not valid JSON text.',
}
const noDatabase: Meaning = { code: 'NOT_PREPARED', message: 'There is no such database. Create it first.' }
const noTable: Meaning = {
  code: 'NOT_PREPARED',
  message: 'There is no such table. Call prepareMysql with these options once, or set prepare: true.',
}

const altered: Meaning = {
  code: 'CORRUPT',
  message: 'The table does not have the columns that unikv created. Was it changed by hand?',
}

/** By number, as names differ: https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html */
const meanings: ReadonlyMap<number, Meaning> = new Map([
  ...numbers(rolledBack, 1205, 1213, 1317, 1969, 3024, 1047),
  ...numbers(readOnly, 1290, 1792, 1836),
  ...numbers(busy, 1037, 1038, 1040, 1041, 1203, 1226, 1461),
  ...numbers(denied, 1044, 1045, 1130, 1142, 1143, 1227, 1370, 1698),
  ...numbers(tooLarge, 1153, 1162, 1406),
  ...numbers(full, 1021, 1114),
  ...numbers(noDocument, 3140, 3144, 3157, 3819, 4025),
  ...numbers(noDatabase, 1046, 1049),
  ...numbers(noTable, 1146),
  ...numbers(altered, 1054),
])

/** The connection ends (shutdown, KILL, idle too long): what it did of the statement is not said. */
const goodbyes: ReadonlySet<number> = new Set([1053, 1152, 1158, 1159, 1160, 1161, 1180, 1927, 4031])

/** After these the connection is of no more use: another one may lead to the new primary. */
const spoiling: ReadonlySet<number> = new Set([1153, 1243, 1290, 1792, 1836])

/** Whether the connection that gave this error must not be used again. */
export function spoilsConnection(error: unknown): boolean {
  const number = serverNumber(error)
  return number === undefined || goodbyes.has(number) || spoiling.has(number)
}

/** An error of mysql2 as a `StoreError`. `address` names the server without user and password. */
export function mysqlError(error: unknown, progress: Progress, address: string): StoreError {
  if (isStoreError(error)) return error
  const number = serverNumber(error)
  if (number === undefined || goodbyes.has(number)) return lost(error, progress, address)
  const { code, message, retryable } = meaningOf(number, error)
  return new StoreError(code, message, { cause: error, retryable })
}

/** The error of a call that its deadline or its signal ended. */
export function endedError(call: CallOptions, progress: Progress): StoreError {
  const cause: unknown = call.signal?.reason
  if (progress === 'write sent') return unknownOutcome(cause)
  if (call.signal?.aborted === true)
    return new StoreError('ABORTED', 'Aborted by the signal of the call; nothing was changed.', { cause })
  return new StoreError('TIMEOUT', 'No answer from the server before the deadline; nothing was changed.')
}

function numbers(meaning: Meaning, ...of: readonly number[]): readonly (readonly [number, Meaning])[] {
  return of.map((number) => [number, meaning])
}

/** The number that the server gave its error; errors of the network have none, or one below 0. */
function serverNumber(error: unknown): number | undefined {
  const number = (error as { readonly errno?: unknown } | undefined)?.errno
  return typeof number === 'number' && number > 0 ? number : undefined
}

function meaningOf(number: number, error: unknown): Meaning {
  const known = meanings.get(number)
  if (known !== undefined) return known
  // "Got error 28 …" is the operating system's ENOSPC, however the storage engine words it.
  if (number === 1030 && /\b28\b/.test(String((error as Error).message))) return full
  return {
    code: 'UNAVAILABLE',
    message: `The server refused the statement (error ${number}); see the cause.`,
    retryable: false,
  }
}

function lost(error: unknown, progress: Progress, address: string): StoreError {
  if (progress === 'write sent') return unknownOutcome(error)
  const { code, message } = error as NodeJS.ErrnoException
  if (message === 'Pool is closed.')
    return new StoreError('CLOSED', 'The pool of connections is closed.', { cause: error })
  if (message === 'Queue limit reached.' || message === 'No connections available.') {
    return new StoreError('OVERLOADED', 'All connections are in use.', { cause: error })
  }
  if (typeof code === 'string' && code.startsWith('HANDSHAKE_'))
    return untrusted(`MySQL at ${address}`, error)
  const why = typeof code === 'string' ? ` (${code})` : ''
  return new StoreError('UNAVAILABLE', `MySQL at ${address} cannot be reached${why}; nothing was changed.`, {
    cause: error,
  })
}

function unknownOutcome(cause: unknown): StoreError {
  const message =
    'The answer to the write was lost; it may or may not have taken effect. Read the key to find out.'
  return new StoreError('OUTCOME_UNKNOWN', message, { cause })
}
