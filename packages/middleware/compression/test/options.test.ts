import { expect, test } from 'vitest'
import { compress, compression, decompress } from '../src/index.ts'

const bytes = new Uint8Array(8)

test.each([
  ['threads', compression],
  ['withEncryption', compression],
  ['acceptPlain', compression],
  ['threads', (options: never) => compress(bytes, options)],
  ['threads', (options: never) => decompress(bytes, options)],
])('%s is true or false', (option, take) => {
  const message = new RegExp(`^.${option}. of \\w+\\(\\) must be true or false; got a string.$`)
  const expected = expect.objectContaining({
    code: 'INVALID_CONFIG',
    message: expect.stringMatching(message),
  })
  expect(() => take({ [option]: 'yes' } as never)).toThrow(expected)
})
