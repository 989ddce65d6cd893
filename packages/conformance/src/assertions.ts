import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { type ErrorCode, isStoreError, type StoreError } from '@unikv/core'

/** Equal in type and content. Bytes are equal in any view. */
export function assertSame(
  actual: unknown,
  expected: unknown,
  message = 'the value is what was written',
): void {
  if (expected instanceof Uint8Array) {
    assert.ok(actual instanceof Uint8Array, `${message}: bytes, not ${typeof actual}`)
    assert.ok(Buffer.compare(actual, expected) === 0, `${message}: ${firstDifference(actual, expected)}`)
    return
  }
  assert.deepStrictEqual(actual, expected, message)
}

/** Whether {@link assertSame} would pass. */
export function isSame(actual: unknown, expected: unknown): boolean {
  if (expected instanceof Uint8Array)
    return actual instanceof Uint8Array && Buffer.compare(actual, expected) === 0
  return isDeepStrictEqual(actual, expected)
}

/** Item by item as `assertSame`. */
export function assertAllSame(
  actual: readonly unknown[],
  expected: readonly unknown[],
  message?: string,
): void {
  assert.equal(actual.length, expected.length, 'there are as many results as expected')
  for (const [i, value] of expected.entries()) assertSame(actual[i], value, `${message ?? 'result'} ${i}`)
}

/** The same keys, in any order, each once. */
export function assertSameKeys(
  actual: readonly string[],
  expected: Iterable<string>,
  message = 'keys',
): void {
  const wanted = new Set(expected)
  const found = new Set(actual)
  const missing = [...wanted].filter((key) => !found.has(key))
  const foreign = [...found].filter((key) => !wanted.has(key))
  assert.deepEqual({ missing, foreign }, { missing: [], foreign: [] }, message)
  assert.equal(actual.length, found.size, `${message}: no key appears twice`)
}

/** The outcome of each item of a batch, whether or not all went well. */
export async function resultsOf(run: () => Promise<readonly unknown[]>): Promise<readonly unknown[]> {
  try {
    return await run()
  } catch (error) {
    if (isStoreError(error) && error.results !== undefined) return error.results
    throw error
  }
}

/** The results of a batch of which an item failed. */
export async function partialResults(run: () => unknown): Promise<readonly unknown[]> {
  const { results } = await rejectsWith('PARTIAL', run)
  assert.ok(results !== undefined, 'PARTIAL comes with the results')
  return results
}

/** The call fails with a `StoreError` of this code, which is returned. `what`: it, of many that are made in a loop. */
export async function rejectsWith(
  code: ErrorCode | readonly ErrorCode[],
  run: () => unknown,
  what = 'the call',
): Promise<StoreError> {
  const codes: readonly string[] = typeof code === 'string' ? [code] : code
  try {
    await run()
  } catch (error) {
    assert.ok(isStoreError(error), `a StoreError is thrown of ${what}, not ${String(error)}`)
    assert.ok(
      codes.includes(error.code),
      `the code of ${what} is ${codes.join(' or ')}, not ${error.code}: ${error.message}`,
    )
    return error
  }
  return assert.fail(`${what} fails with ${codes.join(' or ')}, but it succeeded`)
}

function firstDifference(actual: Uint8Array, expected: Uint8Array): string {
  if (actual.length !== expected.length) return `${actual.length} bytes instead of ${expected.length}`
  return `different from byte ${expected.findIndex((byte, i) => byte !== actual[i])} on`
}
