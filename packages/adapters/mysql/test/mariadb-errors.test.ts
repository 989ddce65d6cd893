import { expect, test } from 'vitest'
import { errorOf } from '../src/client/mariadb-client.ts'

test.each([null, undefined, {}])('a driver that rejects with %s is an error all the same', (said) => {
  expect(errorOf(said)).toBeInstanceOf(Error)
})

test('the number of the server stays, that of the driver does not', () => {
  expect(errorOf({ message: 'no', errno: 1_045, code: 'ER_ACCESS_DENIED_ERROR' })).toMatchObject({
    errno: 1_045,
  })
  expect(errorOf({ message: 'no', errno: 45_012, code: 'ER_CONNECTION_TIMEOUT' })).not.toHaveProperty('errno')
})
