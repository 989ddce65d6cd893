import { expect, test } from 'vitest'
import { compression } from '../src/index.ts'

test.each(['threads', 'withEncryption', 'acceptPlain'])('%s is true or false', (option) => {
  const message = `${option} must be true or false; got a string.`
  const expected = expect.objectContaining({ code: 'INVALID_CONFIG', message })
  expect(() => compression({ [option]: 'yes' } as never)).toThrow(expected)
})
