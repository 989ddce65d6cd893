import { inspect } from 'node:util'
import { wasUnsent } from '@unikv/core/http-client'
import { expect, test } from 'vitest'
import { translate, translateItem } from '../src/errors.ts'

const sentWrite = { where: 'S3', place: 'shop', isWrite: true, sent: true } as const

/** An error as the SDK throws it. */
function said(name: string, status?: number, more: object = {}): Error {
  const $metadata = status === undefined ? {} : { httpStatusCode: status }
  return Object.assign(new Error(`said ${name}`), { name, $metadata, ...more })
}

test.each([
  [said('NoSuchBucket', 404), 'NOT_PREPARED'],
  [said('AccessDenied', 403), 'ACCESS_DENIED'],
  [said('SignatureDoesNotMatch', 403), 'ACCESS_DENIED'],
  [said('SomethingNew', 403), 'ACCESS_DENIED'],
  [said('CredentialsProviderError'), 'ACCESS_DENIED'],
  [said('SlowDown', 503), 'OVERLOADED'],
  [said('TooManyRequests', 429), 'OVERLOADED'],
  [said('Anything', 503), 'OUTCOME_UNKNOWN'],
  [said('NotFound', 404), 'OUTCOME_UNKNOWN'],
  [said('Unknown', 429), 'OVERLOADED'],
  [said('ConditionalRequestConflict', 409), 'UNAVAILABLE'],
  [said('RequestTimeout', 400), 'UNAVAILABLE'],
  [said('PermanentRedirect', 301), 'INVALID_CONFIG'],
  [said('EntityTooLarge', 400), 'VALUE_TOO_LARGE'],
  [said('XMinioStorageFull', 507), 'STORE_FULL'],
  [said('NotImplemented', 501), 'UNSUPPORTED'],
  [said('InternalError', 500), 'OUTCOME_UNKNOWN'],
  [said('502', 502), 'OUTCOME_UNKNOWN'],
  [said('TimeoutError', undefined, { code: 'ECONNRESET' }), 'OUTCOME_UNKNOWN'],
])('%s of a write is %s', (error, code) => {
  expect(translate(error, sentWrite)).toMatchObject({ code })
})

test('a refusal that nothing is known of may not be tried again', () => {
  const error = translate(said('InvalidRequest', 400), sentWrite)
  expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: false })
})

test('what was not sent is UNAVAILABLE, and so is a read without an answer', () => {
  expect(translate(said('Error'), { ...sentWrite, sent: false }).code).toBe('UNAVAILABLE')
  expect(translate(said('InternalError', 500), { ...sentWrite, isWrite: false }).code).toBe('UNAVAILABLE')
})

test('the message names the bucket, and the cause holds no secret', () => {
  const secret = 's3cret-session-token'
  const error = translate(
    Object.assign(said('SignatureDoesNotMatch', 403, { $response: { headers: secret } }), {
      message: `The canonical request was x-amz-security-token:${secret}`,
    }),
    sentWrite,
  )
  expect(error.message).toContain('shop')
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret)
})

test.each([
  ['SlowDown', 'OVERLOADED'],
  ['AccessDenied', 'ACCESS_DENIED'],
  ['InternalError', 'OUTCOME_UNKNOWN'],
])('an object of a DeleteObjects that got %s is %s', (name, code) => {
  expect(translateItem(name, 'shop').code).toBe(code)
})

test.each([
  [{ code: 'ECONNREFUSED', syscall: 'connect' }, true],
  [{ code: 'ETIMEDOUT', syscall: 'connect' }, true],
  [{ code: 'ENOTFOUND' }, true],
  [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, true],
  [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, true],
  [{ code: 'ECONNRESET' }, false],
  [{ code: 'EPIPE', syscall: 'write' }, false],
])('%j was not sent: %s', (properties, unsent) => {
  expect(wasUnsent(Object.assign(new Error('failed'), properties))).toBe(unsent)
})
