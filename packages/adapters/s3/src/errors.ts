import type { StoreError } from '@unikv/core'
import { errorTable, type Failed, lost, type Meaning, told, unlisted } from '@unikv/core/adapter'
import { type AwsErrors, awsError, awsMeanings, oddAnswer } from '@unikv/core/http-client'

const { noCredentials, busy } = awsMeanings('S3')
const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message:
    'S3 rejected the credentials for bucket {place}. Check the key and its permissions (s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket).',
}
const conflict: Meaning = {
  code: 'UNAVAILABLE',
  message: 'S3 was changing the object for another request; nothing was changed.',
}
const elsewhere: Meaning = {
  code: 'INVALID_CONFIG',
  message: 'The bucket {place} is in another region. Set region.',
}
const tooLarge: Meaning = { code: 'VALUE_TOO_LARGE', message: 'The object is larger than S3 allows.' }
const full: Meaning = {
  code: 'STORE_FULL',
  message: 'S3 has no space left; nothing was changed. Free space, or delete records.',
}
const refused: Meaning = { code: 'UNSUPPORTED', message: 'This S3 service does not support the operation.' }
const unsettled = 'The answer of {where} to the write was lost'

const names = errorTable<string>(
  {
    of: ['NoSuchBucket'],
    code: 'NOT_PREPARED',
    message: 'There is no bucket {place}. Create it, or set prepare: true.',
  },
  { of: ['CredentialsProviderError', 'TokenProviderError'], ...noCredentials },
  { of: ['ConditionalRequestConflict', 'OperationAborted'], ...conflict },
  {
    of: ['RequestTimeout'],
    code: 'UNAVAILABLE',
    message: 'S3 did not receive the whole request in time; nothing was changed.',
  },
  {
    of: ['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'],
    ...elsewhere,
  },
  {
    of: ['RequestTimeTooSkewed'],
    code: 'UNAVAILABLE',
    message: 'S3 rejected the request because the clock of this machine is wrong; nothing was changed.',
  },
  {
    of: [
      'SlowDown',
      'Throttling',
      'ThrottlingException',
      'RequestLimitExceeded',
      'TooManyRequests',
      'ServiceUnavailable',
    ],
    ...busy,
  },
  { of: ['EntityTooLarge'], ...tooLarge },
  { of: ['QuotaExceeded', 'XMinioStorageFull'], ...full },
  { of: ['NotImplemented'], ...refused },
  {
    of: [
      'InvalidAccessKeyId',
      'SignatureDoesNotMatch',
      'InvalidToken',
      'ExpiredToken',
      'AccessDenied',
      'AllAccessDisabled',
    ],
    ...denied,
  },
)

/**
 * From a gateway, 404 and 503 tell nothing of a write: 503 also comes when the server broke with the request in it. 429, 501
 * and 507 themselves say that nothing was done (a limit, no such method, no room), from any sender.
 */
const statuses = errorTable<number>(
  { of: [301], ...elsewhere },
  { of: [401, 403], ...denied },
  {
    of: [404],
    code: 'UNAVAILABLE',
    message:
      'The endpoint did not answer like S3 (404 without an S3 error code). Check the endpoint and any proxy in front of it.',
    unsettled,
  },
  { of: [409], ...conflict },
  { of: [413], ...tooLarge },
  { of: [429], ...busy },
  { of: [501], ...refused },
  { of: [503], ...busy, unsettled },
  { of: [507], ...full },
)

const errors: AwsErrors = {
  names,
  statuses,
  other: ({ name }) => unlisted('S3', name),
  secretive: /Signature|Token|Malformed|Credential/,
}

/** Meaning of an error of the SDK for a request to this bucket. */
export function translate(error: unknown, failed: Failed): StoreError {
  return awsError(error, errors, failed)
}

/** The error of one object of a DeleteObjects. */
export function translateItem(code: string, bucket: string): StoreError {
  const failed = { where: 'S3', place: bucket, isWrite: true, sent: true }
  const meaning = names.get(code)
  return meaning === undefined ? lost(failed, new Error(code)) : told(meaning, new Error(code), failed)
}

/** The error for an answer that is none of S3: the SDK takes a page of a proxy for an answer without any field. */
export function notS3(isWrite: boolean): StoreError {
  return oddAnswer('The endpoint', 'S3', isWrite)
}
