import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { fallback, mirror } from '../src/index.ts'

test.each([
  [{ plaintext: 'yes' }, "`plaintext` of mirror() must be 'allowed', or left out; got another string"],
  [
    { namespace: 5, journal: memory() },
    '`namespace` of mirror() must be a non-empty, well-formed string; got a number',
  ],
  [{ namespace: 'marks' }, 'namespace needs journal'],
  [{ writers: 'two' }, "`writers` of mirror() must be 'many' or 'one'"],
])('mirror refuses %j', (options, message) => {
  const expected = { code: 'INVALID_CONFIG', message: expect.stringContaining(message) }
  expect(() => mirror(memory(), memory(), options as never)).toThrow(expect.objectContaining(expected))
})

test('fallback refuses a tier that is no text', () => {
  expect(() => fallback(memory(), memory(), { tier: 5 as never })).toThrow(
    '`tier` of fallback() must be a non-empty',
  )
})

test.each([
  [{ bytes: 'yes' }, 'bytes must be true or false; got a string'],
  [{ prefix: 5 }, 'prefix must be a well-formed string; got 5'],
  [{ maxExamples: -1 }, 'maxExamples must be a whole number from 0 on; got -1'],
])('verify refuses %j', async (options, message) => {
  const expected = { code: 'INVALID_ARGUMENT', message: expect.stringContaining(message) }
  await expect(mirror(memory(), memory()).verify(options as never)).rejects.toMatchObject(expected)
})
