import { expect, test } from 'vitest'
import { resilience } from '../src/index.ts'

test.each([
  [{ retries: {} }, 'Unknown option `retries` of resilience(). Did you mean `retry`?'],
  [{ retry: { attemps: 5 } }, 'Unknown option `attemps` of resilience.retry(). Did you mean `attempts`?'],
  ['fast', 'The options of resilience() must be an object'],
])('%j is refused', (options, message) => {
  expect(() => resilience(options as never)).toThrow(message)
})
