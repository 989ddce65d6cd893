import type { StoreError } from '@unikv/core'
import { errorTable, type Failed, type Meaning } from '@unikv/core/adapter'
import { type AwsErrors, awsError, awsMeanings } from '@unikv/core/http-client'

const { noCredentials, busy } = awsMeanings('DynamoDB')
const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message:
    'DynamoDB rejected the credentials for table {place}. Check the key and its permissions (DescribeTable, GetItem, PutItem, UpdateItem, DeleteItem, BatchGetItem, BatchWriteItem, Scan).',
}
const tooLarge: Meaning = {
  code: 'VALUE_TOO_LARGE',
  message: 'A DynamoDB item can have at most 400 KB, attribute names included.',
}
const tooDeep: Meaning = { code: 'INVALID_VALUE', message: 'A DynamoDB document can have at most 32 levels.' }
const otherTable: Meaning = {
  code: 'INVALID_CONFIG',
  message: 'The table {place} rejected the request. Was it created by another program?',
}

const names = errorTable<string>(
  {
    of: ['ResourceNotFoundException'],
    code: 'NOT_PREPARED',
    message:
      'There is no table {place} in this region. Call prepareDynamodb with these options once, or set prepare: true.',
  },
  { of: ['CredentialsProviderError', 'TokenProviderError'], ...noCredentials },
  {
    of: ['TransactionConflictException', 'ReplicatedWriteConflictException', 'ResourceInUseException'],
    code: 'UNAVAILABLE',
    message: 'DynamoDB was changing the item for another request; nothing was changed.',
  },
  {
    of: [
      'ProvisionedThroughputExceededException',
      'ThrottlingException',
      'Throttling',
      'RequestLimitExceeded',
      'LimitExceededException',
      'ServiceUnavailable',
      'ServiceUnavailableException',
    ],
    ...busy,
  },
  { of: ['ItemCollectionSizeLimitExceededException'], ...tooLarge },
  {
    of: [
      'AccessDeniedException',
      'AccessDenied',
      'UnrecognizedClientException',
      'InvalidSignatureException',
      'IncompleteSignatureException',
      'IncompleteSignature',
      'MissingAuthenticationTokenException',
      'MissingAuthenticationToken',
      'ExpiredTokenException',
      'InvalidClientTokenId',
    ],
    ...denied,
  },
)

/**
 * The 503 of a gateway also comes when the server broke with the request in it, and tells nothing of a write; 429 is of a
 * limit, before anything is done.
 */
const statuses = errorTable<number>(
  { of: [401, 403], ...denied },
  { of: [413], ...tooLarge },
  { of: [429], ...busy },
  { of: [503], ...busy, unsettled: 'The answer of {where} to the write was lost' },
)

const errors: AwsErrors = {
  names,
  statuses,
  other: ({ name, message }) =>
    (name === 'ValidationException' ? validations.find(([words]) => words.test(message))?.[1] : undefined) ??
    otherTable,
  secretive: /Signature|Token|Client|Validation|Serialization|Condition/,
}

/** Refusals of the one code that DynamoDB has for what it does not like. */
const validations: readonly (readonly [RegExp, Meaning])[] = [
  [/item size/i, tooLarge],
  [/nesting level/i, tooDeep],
]

/** Meaning of an error of the SDK for a request to this table. */
export function translate(error: unknown, failed: Failed): StoreError {
  return awsError(error, errors, failed)
}
