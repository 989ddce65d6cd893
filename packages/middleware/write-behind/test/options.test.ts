import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { writeBehind } from '../src/index.ts'

test.each<[options: object, message: string]>([
  [{ onLost: 'yes' }, 'onLost must be a function'],
  [{ namespace: 5 }, '`namespace` of writeBehind() must be a non-empty, well-formed string; got a number'],
  [{ plaintext: true }, "`plaintext` of writeBehind() must be 'allowed', or left out; got a boolean"],
  [{ namespace: 'n', journal: undefined }, 'namespace needs journal'],
])('writeBehind refuses what it would ignore: %o', (options, message) => {
  const make = () => writeBehind({ background: () => {}, journal: memory(), ...options })
  const expected = { code: 'INVALID_CONFIG', message: expect.stringContaining(message) }
  expect(make).toThrow(expect.objectContaining(expected))
})
