import { isStoreError, type StoreError } from '@unikv/core'
import { errorTable, type Failed, lost, type Meaning, told, unlisted, untrusted } from '@unikv/core/adapter'

const full: Meaning = {
  code: 'STORE_FULL',
  message: 'The server has no space left; nothing was changed. Free space, or delete records.',
}

/** Keyed by number, as names differ: https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html */
const meanings = errorTable<number>(
  {
    of: [1205, 1213, 1317, 1969, 3024, 1047],
    code: 'UNAVAILABLE',
    message: 'The server rolled the statement back; nothing was changed.',
  },
  {
    of: [1290, 1792, 1836],
    code: 'UNAVAILABLE',
    message: 'The server is read-only at the moment (a failover?); nothing was changed.',
  },
  {
    of: [1037, 1038, 1040, 1041, 1203, 1226, 1461],
    code: 'OVERLOADED',
    message: 'The server accepts no more connections or statements at the moment.',
  },
  {
    of: [1044, 1045, 1130, 1142, 1143, 1227, 1370, 1698],
    code: 'ACCESS_DENIED',
    message: '{where} rejected the user. Check user, password and privileges.',
  },
  {
    of: [1153, 1162, 1406],
    code: 'VALUE_TOO_LARGE',
    message: 'The value is larger than the server allows (max_allowed_packet).',
  },
  { of: [1021, 1114], ...full },
  {
    of: [3140, 3144, 3157, 3819, 4025],
    code: 'INVALID_VALUE',
    message: 'The server rejected the document: it is nested too deeply, or is not valid JSON text.',
  },
  {
    of: [1046, 1049],
    code: 'NOT_PREPARED',
    message: '{where} has no such database{place}. Create it first.',
  },
  {
    of: [1146],
    code: 'NOT_PREPARED',
    message: 'There is no such table. Call prepareMysql with these options once, or set prepare: true.',
  },
  {
    of: [1568],
    code: 'UNAVAILABLE',
    message:
      'A connection was returned to the pool inside a transaction; it is closed, and nothing was changed.',
  },
  {
    of: [1054],
    code: 'CORRUPT',
    message: 'The table does not have the columns that unikv created. Was it changed by hand?',
  },
)

/** The connection ends (shutdown, KILL, idle too long): what it did of the statement is not said. */
const goodbyes: ReadonlySet<number> = new Set([1053, 1152, 1158, 1159, 1160, 1161, 1180, 1927, 4031])

/** After these the connection is of no more use: another one may lead to the new primary. */
const spoiling: ReadonlySet<number> = new Set([1153, 1243, 1290, 1568, 1792, 1836])

/** Errors of the pools of both drivers for a statement that never got a connection. */
const refusals = errorTable<string>(
  { of: ['Pool is closed.'], code: 'CLOSED', message: 'The pool of connections is closed.' },
  {
    of: ['Queue limit reached.', 'No connections available.'],
    code: 'OVERLOADED',
    message: 'All connections are in use.',
  },
)

/**
 * Whether a transaction lost a conflict with this error: a deadlock, a lock that was not given in time, or a record that was changed since
 * its snapshot. The second undoes the statement alone.
 */
export function isConflict(error: unknown): boolean {
  const number = serverNumber(error)
  return number === 1213 || number === 1205 || number === 1020
}

/** Whether the connection that gave this error must not be used again. */
export function spoilsConnection(error: unknown): boolean {
  const number = serverNumber(error)
  return number === undefined || goodbyes.has(number) || spoiling.has(number)
}

/** An error of mysql2 as a `StoreError`. */
export function mysqlError(error: unknown, failed: Failed): StoreError {
  if (isStoreError(error)) return error
  const number = serverNumber(error)
  if (number === undefined || goodbyes.has(number)) return lostError(error, failed)
  return told(meaningOf(number, error), error, { ...failed, place: quotedName(error) })
}

/** The name that a server quotes when it does not know it. */
function quotedName(error: unknown): string {
  const name = /'([^']{1,64})'/.exec(String((error as Error).message))?.[1]
  return name === undefined ? '' : ` as ${name}`
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
  return unlisted('The server', `error ${number}`)
}

function lostError(error: unknown, failed: Failed): StoreError {
  if (failed.sent && failed.isWrite) return lost(failed, error)
  const { code, message } = error as NodeJS.ErrnoException
  const refusal = refusals.get(message)
  if (refusal !== undefined) return told(refusal, error)
  if (typeof code === 'string' && code.startsWith('HANDSHAKE_')) return untrusted(failed.where, error)
  return lost(failed, error)
}
