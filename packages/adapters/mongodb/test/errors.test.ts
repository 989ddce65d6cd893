import { expect, test } from 'vitest'
import { mongodbError, statementError } from '../src/errors.ts'

const target = { where: 'db.example:27017', secrets: [] }

/** An error of the driver for what a server answered. */
function serverError(code: number): Error {
  return Object.assign(new Error('planted'), { name: 'MongoServerError', code })
}

test.each([1, 8, 96, 125, 303, 51_003])('code %i, which is in no list, may come after the effect', (code) => {
  const unknown = { code: 'OUTCOME_UNKNOWN', retryable: false }
  const sent = { ...target, isWrite: true, sent: true }
  expect(mongodbError(serverError(code), sent)).toMatchObject(unknown)
  expect(statementError(code, sent)).toMatchObject(unknown)
})

test.each([2, 9, 14, 20, 59, 61, 66, 72, 73])('code %i comes before any effect', (code) => {
  const refused = {
    code: 'UNAVAILABLE',
    retryable: false,
    message: `The server rejected the request (error ${code}); see the cause.`,
  }
  const sent = { ...target, isWrite: true, sent: true }
  expect(mongodbError(serverError(code), sent)).toMatchObject(refused)
  expect(statementError(code, sent)).toMatchObject(refused)
})

test.each([
  ['a read', { isWrite: false, sent: false }],
  ['a write that was not sent, by the handshake', { isWrite: true, sent: false }],
])('a code that is in no list to %s is UNAVAILABLE', (_, how) => {
  const refused = { code: 'UNAVAILABLE', retryable: false }
  expect(mongodbError(serverError(8), { ...target, ...how })).toMatchObject(refused)
})
