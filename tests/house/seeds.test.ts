import fc from 'fast-check'
import { expect, test } from 'vitest'

test('random tests draw from the seed that is named, or from 1', () => {
  expect(fc.readConfigureGlobal().seed).toBe(Number(process.env['UNIKV_SEED'] ?? 1))
})
