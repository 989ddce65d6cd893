import { type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import { causeOf, unanswered, unreachable } from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'

/** Facts about the command that failed. */
export interface Failed {
  readonly isWrite: boolean
  /** Whether the driver had begun to send it. */
  readonly sent: boolean
  /** The servers, for messages. */
  readonly where: string
  /** Secrets that messages must not show. */
  readonly secrets: readonly string[]
}

/** The meaning of a server error code. */
interface Meaning {
  readonly code: ErrorCode
  readonly message: string
  readonly retryable?: boolean
}

const moved: Meaning = {
  code: 'UNAVAILABLE',
  message: 'The server is not the primary at the moment (an election?); nothing was changed.',
}
const conflict: Meaning = {
  code: 'UNAVAILABLE',
  message: 'The server aborted this write in favor of another; nothing was changed.',
}
const busy: Meaning = { code: 'OVERLOADED', message: 'The server accepts no more commands at the moment.' }
const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message: 'The server rejected the user. Check user, password, authSource and the role (readWrite).',
}
const tooLarge: Meaning = {
  code: 'VALUE_TOO_LARGE',
  message: 'The document is larger than the server allows (16 MiB with key and fields).',
}
const full: Meaning = {
  code: 'STORE_FULL',
  message: 'The server has no space left; nothing was changed. Free space, or delete records.',
}
const noDocument: Meaning = {
  code: 'INVALID_VALUE',
  message: 'The server rejected the document: it is nested too deeply, or has unsupported property names.',
}
const missing: Meaning = {
  code: 'NOT_PREPARED',
  message: 'There is no such collection. Call prepareMongodb with these options once, or set prepare: true.',
}

/** https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const meanings: ReadonlyMap<number, Meaning> = new Map([
  ...codes(moved, 10107, 13435, 13436, 10058),
  ...codes(conflict, 112, 11000, 24, 46),
  ...codes(busy, 202, 462, 463),
  ...codes(denied, 11, 13, 18, 31, 33, 8000),
  ...codes(tooLarge, 10334, 17280, 17419, 17420),
  ...codes(full, 14031),
  ...codes(noDocument, 15, 22, 52, 55, 56, 57, 121),
  ...codes(missing, 26),
])

/**
 * What the server says before it does anything: the command is malformed, or not one that it takes. Of a code that is in
 * no list this is not known.
 */
const beforeEffect: ReadonlySet<number> = new Set([
  2, 9, 14, 20, 28, 40, 53, 59, 61, 66, 72, 73, 115, 166, 167, 168, 322, 323, 324, 13297, 40324, 40414, 40415,
])

/** The server stopped in the middle of it, or did it and cannot say whether it lasts. */
const undecided: ReadonlySet<number> = new Set([
  6, 7, 50, 64, 79, 89, 91, 100, 134, 189, 262, 9001, 11600, 11601, 11602,
])

/** An error of the driver as a `StoreError`, without the message of a server, which may hold keys and values. */
export function mongodbError(error: unknown, failed: Failed): StoreError {
  if (isStoreError(error)) return error
  const { name } = isError(error) ? error : { name: '' }
  const where = `MongoDB at ${failed.where}`
  if (name === 'MongoWriteConcernError') return unanswered(where, failed.isWrite, serverCause(error))
  const code = serverCode(error)
  if (code !== undefined) return refused(code, error, failed)
  const cause = rootCause(error, failed.secrets)
  if (name.startsWith('BSON')) return notBson(failed.isWrite, cause)
  if (failed.isWrite ? failed.sent : wasReached(error)) return unanswered(where, failed.isWrite, cause)
  if (name === 'MongoWaitQueueTimeoutError')
    return new StoreError('OVERLOADED', 'All connections are in use; nothing was sent.', { cause })
  if (closing.has(name)) return new StoreError('CLOSED', 'The client is closed.', { cause })
  if (settings.has(name))
    return new StoreError('INVALID_CONFIG', 'The driver rejected the url or a setting; see the cause.', {
      cause,
    })
  return unreachable(where, cause)
}

/** What the server says of one statement of a command that it did otherwise. */
export function statementError(code: number, failed: Failed): StoreError {
  return refused(code, { code }, failed)
}

const closing: ReadonlySet<string> = new Set([
  'MongoClientClosedError',
  'MongoNotConnectedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoPoolClosedError',
])

const settings: ReadonlySet<string> = new Set([
  'MongoAPIError',
  'MongoInvalidArgumentError',
  'MongoMissingCredentialsError',
  'MongoMissingDependencyError',
  'MongoParseError',
])

function codes(meaning: Meaning, ...of: readonly number[]): readonly (readonly [number, Meaning])[] {
  return of.map((code) => [code, meaning])
}

/** The code that a server gave its error; errors of the network have none. */
function serverCode(error: unknown): number | undefined {
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown }
  return name === 'MongoServerError' && typeof code === 'number' ? code : undefined
}

function refused(code: number, error: unknown, failed: Failed): StoreError {
  const cause = serverCause(error)
  if (undecided.has(code)) return unanswered(`MongoDB at ${failed.where}`, failed.isWrite, cause)
  const meaning = meanings.get(code)
  if (meaning !== undefined)
    return new StoreError(meaning.code, meaning.message, { cause, retryable: meaning.retryable })
  // The server may have failed after the effect.
  if (failed.isWrite && failed.sent && !beforeEffect.has(code))
    return unanswered(`MongoDB at ${failed.where}`, true, cause)
  return new StoreError('UNAVAILABLE', `The server refused the command (error ${code}).`, {
    cause,
    retryable: false,
  })
}

/** Code and name of a server's error. Its message is left out: it may quote the command. */
function serverCause(error: unknown): Error {
  const { code, codeName } = error as { readonly code?: unknown; readonly codeName?: unknown }
  const named = typeof codeName === 'string' ? ` (${codeName})` : ''
  const cause = new Error(`The server answered with error ${String(code)}${named}.`)
  cause.name = 'MongoServerError'
  return Object.assign(cause, { code })
}

/** What the driver wraps: `ECONNREFUSED` and the like. */
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
    ? new StoreError('INVALID_VALUE', 'The value cannot be written as BSON; nothing was sent.', { cause })
    : new StoreError('CORRUPT', 'The answer of the server cannot be read as BSON.', { cause })
}
