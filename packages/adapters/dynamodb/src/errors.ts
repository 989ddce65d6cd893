import { type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import { causeOf, unanswered, unreachable } from '@unikv/core/adapter'

/** What the SDK throws for an answer of the server: `name` is the code of DynamoDB. */
interface ServiceError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number | undefined } | undefined
}

/** What an error of DynamoDB means. `{table}` stands for the name of the table. */
interface Meaning {
  readonly code: ErrorCode
  readonly message: string
}

const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message:
    'DynamoDB rejected the credentials for table {table}. Check the key and its permissions (DescribeTable, GetItem, PutItem, UpdateItem, DeleteItem, BatchGetItem, BatchWriteItem, Scan).',
}
const noCredentials: Meaning = {
  code: 'ACCESS_DENIED',
  message:
    'There are no credentials for DynamoDB. Set credentials, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
}
const noTable: Meaning = {
  code: 'NOT_PREPARED',
  message:
    'There is no table {table} in this region. Call prepareDynamodb with these options once, or set prepare: true.',
}
const busy: Meaning = {
  code: 'OVERLOADED',
  message: 'DynamoDB accepts no more requests for table {table} at the moment; nothing was changed.',
}
const conflict: Meaning = {
  code: 'UNAVAILABLE',
  message: 'DynamoDB was changing the item for another request; nothing was changed.',
}
const noRegion: Meaning = {
  code: 'INVALID_CONFIG',
  message: 'There is no region. Set region or AWS_REGION.',
}
const tooLarge: Meaning = {
  code: 'VALUE_TOO_LARGE',
  message: 'A DynamoDB item can have at most 400 KB, attribute names included.',
}
const tooDeep: Meaning = { code: 'INVALID_VALUE', message: 'A DynamoDB document can have at most 32 levels.' }
const otherTable: Meaning = {
  code: 'INVALID_CONFIG',
  message: 'The table {table} rejected the request. Was it created by another program?',
}

/** By code; what the SDK throws without asking has no status. */
const meanings: Readonly<Record<string, Meaning>> = {
  ResourceNotFoundException: noTable,
  CredentialsProviderError: noCredentials,
  TokenProviderError: noCredentials,
  TransactionConflictException: conflict,
  ReplicatedWriteConflictException: conflict,
  ResourceInUseException: conflict,
  ProvisionedThroughputExceededException: busy,
  ThrottlingException: busy,
  Throttling: busy,
  RequestLimitExceeded: busy,
  LimitExceededException: busy,
  ServiceUnavailable: busy,
  ServiceUnavailableException: busy,
  ItemCollectionSizeLimitExceededException: tooLarge,
  AccessDeniedException: denied,
  AccessDenied: denied,
  UnrecognizedClientException: denied,
  InvalidSignatureException: denied,
  IncompleteSignatureException: denied,
  IncompleteSignature: denied,
  MissingAuthenticationTokenException: denied,
  MissingAuthenticationToken: denied,
  ExpiredTokenException: denied,
  InvalidClientTokenId: denied,
}

/**
 * Without a code that is known: then a gateway may have answered. Its 503 also comes when the server broke with the
 * request in it, and tells nothing of a write; 429 is of a limit, before anything is done.
 */
const byStatus: Readonly<Record<number, Meaning>> = {
  401: denied,
  403: denied,
  413: tooLarge,
  429: busy,
  503: busy,
}

/** Refusals of the one code that DynamoDB has for what it does not like. */
const validations: readonly (readonly [RegExp, Meaning])[] = [
  [/item size/i, tooLarge],
  [/nesting level/i, tooDeep],
]

/** Codes of a connection that was never made. */
const unconnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|CERT_[A-Z_]+|UNABLE_TO_[A-Z_]+|(DEPTH_ZERO_)?SELF_SIGNED_[A-Z_]+|ERR_TLS_[A-Z_]+|ERR_SSL_[A-Z_]+|HOSTNAME_MISMATCH)$/
/** Messages of these may hold tokens, what was signed, or keys and values. */
const secretive = /Signature|Token|Client|Validation|Serialization|Condition/

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
export function translate(error: unknown, table: string, isWrite: boolean, sent: boolean): StoreError {
  if (isStoreError(error)) return error
  const { message, $metadata } = error as ServiceError
  const status = $metadata?.httpStatusCode
  const cause = causeOf(error)
  if (secretive.test(cause.name)) cause.message = cause.name
  const meaning = meaningOf(error as ServiceError, status, isWrite)
  if (meaning !== undefined)
    return new StoreError(meaning.code, meaning.message.replace('{table}', table), { cause })
  if (message === 'Region is missing') return new StoreError(noRegion.code, noRegion.message, { cause })
  if (status === undefined && !sent) return unreachable('DynamoDB', cause)
  return unanswered('DynamoDB', isWrite, cause)
}

function meaningOf(
  { name, message }: ServiceError,
  status: number | undefined,
  isWrite: boolean,
): Meaning | undefined {
  if (Object.hasOwn(meanings, name)) return meanings[name]
  if (status === undefined) return undefined
  if (name === 'ValidationException')
    return validations.find(([pattern]) => pattern.test(message))?.[1] ?? otherTable
  if (isWrite && status === 503) return undefined
  return byStatus[status] ?? (status >= 400 && status < 500 ? otherTable : undefined)
}
