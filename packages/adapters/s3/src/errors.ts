import { type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import { causeOf, unanswered, unreachable } from '@unikv/core/adapter'
import { oddAnswer } from '@unikv/core/http-client'

/** What the SDK throws for an answer of the server: `name` is the code of S3. */
interface ServiceError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number | undefined } | undefined
}

/** What an error of S3 means. `{bucket}` stands for the name of the bucket. */
interface Meaning {
  readonly code: ErrorCode
  readonly message: string
}

const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message:
    'S3 rejected the credentials for bucket {bucket}. Check the key and its permissions (s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket).',
}
const noCredentials: Meaning = {
  code: 'ACCESS_DENIED',
  message:
    'There are no credentials for S3. Set credentials, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
}
const noBucket: Meaning = {
  code: 'NOT_PREPARED',
  message: 'There is no bucket {bucket}. Create it, or set prepare: true.',
}
const busy: Meaning = {
  code: 'OVERLOADED',
  message: 'S3 accepts no more requests at the moment; nothing was changed.',
}
const conflict: Meaning = {
  code: 'UNAVAILABLE',
  message: 'S3 was changing the object for another request; nothing was changed.',
}
const notReceived: Meaning = {
  code: 'UNAVAILABLE',
  message: 'S3 did not receive the whole request in time; nothing was changed.',
}
const elsewhere: Meaning = {
  code: 'INVALID_CONFIG',
  message: 'The bucket {bucket} is in another region. Set region.',
}
const noRegion: Meaning = {
  code: 'INVALID_CONFIG',
  message: 'There is no region. Set region or AWS_REGION.',
}
const notOfS3: Meaning = {
  code: 'UNAVAILABLE',
  message:
    'The endpoint did not answer like S3 (404 without an S3 error code). Check the endpoint and any proxy in front of it.',
}
const tooLarge: Meaning = { code: 'VALUE_TOO_LARGE', message: 'The object is larger than S3 allows.' }
const full: Meaning = {
  code: 'STORE_FULL',
  message: 'S3 has no space left; nothing was changed. Free space, or delete records.',
}
const refused: Meaning = { code: 'UNSUPPORTED', message: 'This S3 service does not support the operation.' }
const wrongClock: Meaning = {
  code: 'UNAVAILABLE',
  message: 'S3 rejected the request because the clock of this machine is wrong; nothing was changed.',
}

/** By code; what the SDK throws without asking has no status. */
const meanings: Readonly<Record<string, Meaning>> = {
  NoSuchBucket: noBucket,
  CredentialsProviderError: noCredentials,
  TokenProviderError: noCredentials,
  ConditionalRequestConflict: conflict,
  OperationAborted: conflict,
  RequestTimeout: notReceived,
  PermanentRedirect: elsewhere,
  AuthorizationHeaderMalformed: elsewhere,
  IllegalLocationConstraintException: elsewhere,
  RequestTimeTooSkewed: wrongClock,
  SlowDown: busy,
  Throttling: busy,
  ThrottlingException: busy,
  RequestLimitExceeded: busy,
  TooManyRequests: busy,
  ServiceUnavailable: busy,
  EntityTooLarge: tooLarge,
  QuotaExceeded: full,
  XMinioStorageFull: full,
  NotImplemented: refused,
  InvalidAccessKeyId: denied,
  SignatureDoesNotMatch: denied,
  InvalidToken: denied,
  ExpiredToken: denied,
  AccessDenied: denied,
  AllAccessDisabled: denied,
}

/** Without a code that is known: then a gateway may have answered. */
const byStatus: Readonly<Record<number, Meaning>> = {
  301: elsewhere,
  401: denied,
  403: denied,
  404: notOfS3,
  409: conflict,
  413: tooLarge,
  429: busy,
  501: refused,
  503: busy,
  507: full,
}
/**
 * Of a gateway these tell nothing of a write: 503 also comes when the server broke with the request in it. 429, 501 and
 * 507 say of themselves that nothing was done (a limit, no such method, no room): whoever gives them, it was not.
 */
const unsure: ReadonlySet<number> = new Set([404, 503])

/** Codes of a connection that was never made. */
const unconnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|CERT_[A-Z_]+|UNABLE_TO_[A-Z_]+|(DEPTH_ZERO_)?SELF_SIGNED_[A-Z_]+|ERR_TLS_[A-Z_]+|ERR_SSL_[A-Z_]+|HOSTNAME_MISMATCH)$/
/** Messages of these may hold tokens and what was signed. */
const secretive = /Signature|Token|Malformed|Credential/

/** Whether an answer came, and with which status. */
export function statusOf(error: unknown): number | undefined {
  return (error as ServiceError | undefined)?.$metadata?.httpStatusCode
}

/** Whether an error says that the request never went out, for clients that do not tell. */
export function wasUnsent(error: unknown): boolean {
  const { code, syscall, name } = error as { code?: unknown; syscall?: unknown; name?: unknown }
  return (
    syscall === 'connect' ||
    (typeof code === 'string' && unconnected.test(code)) ||
    name === 'CredentialsProviderError'
  )
}

/** What an error of the SDK means for a request. `sent`: it went out, as far as is known. */
export function translate(error: unknown, bucket: string, isWrite: boolean, sent: boolean): StoreError {
  if (isStoreError(error)) return error
  const { name, message } = error as ServiceError
  const status = statusOf(error)
  const cause = copyOf(error)
  const meaning = Object.hasOwn(meanings, name) ? meanings[name] : meaningOf(status, isWrite)
  if (meaning !== undefined) return errorOf(meaning, bucket, cause)
  if (message === 'Region is missing') return errorOf(noRegion, bucket, cause)
  if (status === undefined && !sent) return unreachable('S3', cause)
  if (status !== undefined && status >= 400 && status < 500 && !unsure.has(status))
    return unexpected(name, cause)
  return unanswered('S3', isWrite, cause)
}

function meaningOf(status: number | undefined, isWrite: boolean): Meaning | undefined {
  return status === undefined || (isWrite && unsure.has(status)) ? undefined : byStatus[status]
}

/** What S3 says of one object of a DeleteObjects. */
export function translateItem(code: string, bucket: string): StoreError {
  const meaning = Object.hasOwn(meanings, code) ? meanings[code] : undefined
  if (meaning !== undefined) return errorOf(meaning, bucket, new Error(code))
  return unanswered('S3', true, new Error(code))
}

/** The error for an answer that is none of S3: the SDK takes a page of a proxy for an answer without any field. */
export function notS3(isWrite: boolean): StoreError {
  return oddAnswer('The endpoint', 'S3', isWrite)
}

function errorOf({ code, message }: Meaning, bucket: string, cause: Error): StoreError {
  return new StoreError(code, message.replace('{bucket}', bucket), { cause })
}

function unexpected(name: string, cause: Error): StoreError {
  const message = `S3 refused the request (${name}); nothing was changed.`
  return new StoreError('UNAVAILABLE', message, { cause, retryable: false })
}

/** Name, code and status, and the message where it holds no secret. */
function copyOf(error: unknown): Error {
  const cause = causeOf(error)
  if (secretive.test(cause.name)) cause.message = cause.name
  return cause
}
