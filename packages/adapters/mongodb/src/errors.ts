import { isStoreError, type StoreError } from '@unikv/core'
import {
  causeOf,
  errorTable,
  type Failed as FailedRequest,
  lost,
  lostAnswer,
  told,
  unanswered,
  unlisted,
} from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'

/** The command that failed. */
export interface Failed extends FailedRequest {
  /** Must not be shown. */
  readonly secrets: readonly string[]
}

/** https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const meanings = errorTable<number>(
  {
    of: [10107, 13435, 13436, 10058],
    code: 'UNAVAILABLE',
    message: 'The server is not the primary at the moment (an election?); nothing was changed.',
  },
  {
    of: [112, 11000, 24, 46],
    code: 'UNAVAILABLE',
    message: 'The server aborted this write in favor of another; nothing was changed.',
  },
  { of: [202, 462, 463], code: 'OVERLOADED', message: 'The server accepts no more commands at the moment.' },
  {
    of: [11, 13, 18, 31, 33, 8000],
    code: 'ACCESS_DENIED',
    message: 'The server rejected the user. Check user, password, authSource and the role (readWrite).',
  },
  {
    of: [10334, 17280, 17419, 17420],
    code: 'VALUE_TOO_LARGE',
    message: 'The document is larger than the server allows (16 MiB with key and fields).',
  },
  {
    of: [14031],
    code: 'STORE_FULL',
    message: 'The server has no space left; nothing was changed. Free space, or delete records.',
  },
  {
    of: [15, 22, 52, 55, 56, 57, 121, 171],
    code: 'INVALID_VALUE',
    message:
      'The server rejected the document: it is nested too deeply, has unsupported property names, or lists in two fields of one index.',
  },
  {
    of: [26],
    code: 'NOT_PREPARED',
    message:
      'There is no such collection. Call prepareMongodb with these options once, or set prepare: true.',
  },
  // The server stopped in the middle of it, or did it and cannot say whether it lasts.
  { of: [6, 7, 50, 64, 79, 89, 91, 100, 134, 189, 262, 9001, 11600, 11601, 11602], ...lostAnswer },
)

/**
 * Codes of errors before any effect: the command is malformed, or not one that the server takes. A code that is in no
 * list may come after an effect.
 */
const beforeEffect: ReadonlySet<number> = new Set([
  2, 9, 14, 20, 28, 40, 53, 59, 61, 66, 72, 73, 115, 166, 167, 168, 322, 323, 324, 13297, 40324, 40414, 40415,
])

/** Errors of the driver itself, which has asked no server, by name. */
const ofTheDriver = errorTable<string>(
  {
    of: ['MongoWaitQueueTimeoutError'],
    code: 'OVERLOADED',
    message: 'All connections are in use; nothing was sent.',
  },
  {
    of: [
      'MongoClientClosedError',
      'MongoNotConnectedError',
      'MongoServerClosedError',
      'MongoTopologyClosedError',
      'MongoPoolClosedError',
    ],
    code: 'CLOSED',
    message: 'The client is closed.',
  },
  {
    of: [
      'MongoAPIError',
      'MongoInvalidArgumentError',
      'MongoMissingCredentialsError',
      'MongoMissingDependencyError',
      'MongoParseError',
    ],
    code: 'INVALID_CONFIG',
    message: 'The driver rejected the url or a setting; see the cause.',
  },
)

/** An error of the driver as a `StoreError`, without the message of a server, which may hold keys and values. */
export function mongodbError(error: unknown, failed: Failed): StoreError {
  if (isStoreError(error)) return error
  const { name } = isError(error) ? error : { name: '' }
  const { isWrite, sent, where, secrets } = failed
  if (name === 'MongoWriteConcernError') return unanswered(where, isWrite, serverCause(error))
  const code = serverCode(error)
  if (code !== undefined) return refused(code, error, failed)
  const cause = rootCause(error, secrets)
  if (name.startsWith('BSON')) return notBson(isWrite, cause)
  const isLost = isWrite ? sent : wasReached(error)
  const meaning = isLost ? undefined : ofTheDriver.get(name)
  return meaning === undefined ? lost({ where, isWrite, sent: isLost }, cause) : told(meaning, cause)
}

/** The error of one statement of a command that otherwise succeeded. */
export function statementError(code: number, failed: Failed): StoreError {
  return refused(code, { code }, failed)
}

/** The code that a server gave its error; errors of the network have none. */
function serverCode(error: unknown): number | undefined {
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown }
  return name === 'MongoServerError' && typeof code === 'number' ? code : undefined
}

function refused(code: number, error: unknown, failed: Failed): StoreError {
  const cause = serverCause(error)
  const meaning = meanings.get(code)
  if (meaning !== undefined) return told(meaning, cause, failed)
  // The server may have failed after the effect.
  const isCertain = !failed.isWrite || !failed.sent || beforeEffect.has(code)
  return isCertain
    ? told(unlisted('The server', `error ${code}`), cause)
    : unanswered(failed.where, true, cause)
}

/** Code and name of a server's error. Its message is left out: it may quote the command. */
function serverCause(error: unknown): Error {
  const { code, codeName } = error as { readonly code?: unknown; readonly codeName?: unknown }
  const named = typeof codeName === 'string' ? ` (${codeName})` : ''
  const cause = new Error(`The server answered with error ${String(code)}${named}.`)
  cause.name = 'MongoServerError'
  return Object.assign(cause, { code })
}

/** The error that the driver wraps, such as `ECONNREFUSED`. */
export function rootCause(error: unknown, secrets: readonly string[]): Error {
  let root = error
  while (isError(root) && isError(root.cause)) root = root.cause
  return causeOf(root, secrets)
}

/** Whether an error of the network came after a connection was there. */
function wasReached(error: unknown): boolean {
  const { name, errorLabelSet } = error as { readonly name: string; readonly errorLabelSet?: Set<string> }
  const isOfNetwork = name === 'MongoNetworkError' || name === 'MongoNetworkTimeoutError'
  return isOfNetwork && errorLabelSet?.has('HandshakeError') !== true
}

/**
 * Whether the driver gave up all connections, as its own look at the server found nothing on a connection that died unseen.
 * The next connection may well work.
 */
export function isPoolCleared(error: unknown): boolean {
  return isError(error) && error.name.startsWith('MongoPoolCleared')
}

function notBson(isWrite: boolean, cause: Error): StoreError {
  return isWrite
    ? told(
        { code: 'INVALID_VALUE', message: 'The value cannot be written as BSON; nothing was sent.' },
        cause,
      )
    : told({ code: 'CORRUPT', message: 'The answer of the server cannot be read as BSON.' }, cause)
}
