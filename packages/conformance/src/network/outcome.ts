import assert from 'node:assert/strict'
import { isStoreError, type StoreError, type Version } from '@unikv/core'

/** The answer to a caller about one key. */
export type Told =
  | { readonly kind: 'done'; readonly version?: Version | undefined; readonly answer?: unknown }
  | { readonly kind: 'unknown'; readonly version?: Version | undefined }
  | { readonly kind: 'not done'; readonly error: StoreError }

/** Codes by which a broken network may be told, and that say: certainly not applied. */
const notDone = ['TIMEOUT', 'UNAVAILABLE', 'OVERLOADED', 'ABORTED', 'CLOSED']

/** The end of a call. Anything but a result or the truth about the network fails the case. */
export async function told(run: () => Promise<unknown>): Promise<Told> {
  try {
    return toldBy(await run())
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    return toldBy(error)
  }
}

/** The same of one result of a batch. */
export function toldBy(result: unknown): Told {
  if (!isStoreError(result)) {
    assert.ok(!(result instanceof Error), `what is thrown is a StoreError, not ${String(result)}`)
    const { version } = (result ?? {}) as { readonly version?: Version }
    return { kind: 'done', version, answer: result }
  }
  if (result.code === 'OUTCOME_UNKNOWN') return { kind: 'unknown', version: result.version }
  assert.ok(
    notDone.includes(result.code),
    `a broken network is told as ${notDone.join(', ')} or OUTCOME_UNKNOWN, not ${result.code}: ${result.message}`,
  )
  return { kind: 'not done', error: result }
}
