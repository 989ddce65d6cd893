import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { translate } from '../src/errors.ts'

const sentWrite = { where: 'DynamoDB', place: 'shop', isWrite: true, sent: true } as const

/** An error as the SDK throws it. */
function said(name: string, status?: number, message = `said ${name}`): Error {
  const $metadata = status === undefined ? {} : { httpStatusCode: status }
  return Object.assign(new Error(message), { name, $metadata })
}

test.each([
  [said('ResourceNotFoundException', 400), 'NOT_PREPARED'],
  [said('AccessDeniedException', 400), 'ACCESS_DENIED'],
  [said('UnrecognizedClientException', 400), 'ACCESS_DENIED'],
  [said('ExpiredTokenException', 400), 'ACCESS_DENIED'],
  [said('SomethingNew', 403), 'ACCESS_DENIED'],
  [said('CredentialsProviderError'), 'ACCESS_DENIED'],
  [said('ProvisionedThroughputExceededException', 400), 'OVERLOADED'],
  [said('ThrottlingException', 400), 'OVERLOADED'],
  [said('RequestLimitExceeded', 400), 'OVERLOADED'],
  [said('ServiceUnavailable', 503), 'OVERLOADED'],
  [said('Unknown', 503), 'OUTCOME_UNKNOWN'],
  [said('Unknown', 429), 'OVERLOADED'],
  [said('TransactionConflictException', 400), 'UNAVAILABLE'],
  [said('ValidationException', 400, 'Item size has exceeded the maximum allowed size'), 'VALUE_TOO_LARGE'],
  [said('ValidationException', 400, 'Nesting Levels have exceeded supported limits'), 'INVALID_VALUE'],
  [said('ValidationException', 400), 'INVALID_CONFIG'],
  [said('InternalServerError', 500), 'OUTCOME_UNKNOWN'],
  [Object.assign(said('TimeoutError'), { code: 'ECONNRESET' }), 'OUTCOME_UNKNOWN'],
])('%s of a write is %s', (error, code) => {
  expect(translate(error, sentWrite)).toMatchObject({ code })
})

test('what was not sent is UNAVAILABLE, and so is a read without an answer', () => {
  expect(translate(said('Error'), { ...sentWrite, sent: false }).code).toBe('UNAVAILABLE')
  expect(translate(said('InternalServerError', 500), { ...sentWrite, isWrite: false }).code).toBe(
    'UNAVAILABLE',
  )
})

test('the message names the table, and the cause holds neither tokens nor values', () => {
  const secret = 's3cret-session-token'
  for (const name of ['InvalidSignatureException', 'ValidationException']) {
    const error = translate(said(name, 400, `with ${secret}`), sentWrite)
    expect(error.message).toContain('shop')
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret)
  }
})
