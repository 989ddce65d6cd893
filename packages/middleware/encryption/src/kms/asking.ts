import type { Bytes, CallOptions } from '@unikv/core'
import { attempt, callOptions, isStoreError, StoreError } from '@unikv/core/adapter'
import { isBytes, isError, performance } from '@unikv/core/platform'
import type { KmsCall } from './kms-provider.ts'

/**
 * Ask a service, and wait no longer than `timeoutMs`.
 *
 * @throws {StoreError} its own code for a `StoreError`, `TIMEOUT`, else `UNAVAILABLE`; never the error of the service
 */
export async function ask<T>(
  providerId: string,
  timeoutMs: number,
  question: (call: KmsCall) => Promise<T>,
): Promise<T> {
  const call = callOptions({ deadlineAt: performance.now() + timeoutMs })
  try {
    return await attempt(call, false, async (signal) => question({ signal, deadlineAt: call.deadlineAt }))
  } catch (error) {
    throw failureOf(error, providerId)
  }
}

/**
 * Wait for an answer that others may wait for, too, within the own deadline and signal.
 *
 * @throws {StoreError} `TIMEOUT`, `ABORTED`, and what the answer is rejected with
 */
export async function awaited<T>(answer: Promise<T>, call: CallOptions): Promise<T> {
  try {
    return await attempt(call, false, () => answer)
  } catch (error) {
    if (isStoreError(error) && error.code === 'TIMEOUT') throw late()
    throw error
  }
}

/**
 * A copy of the 32 bytes that a service gave, and zeros in their place; `undefined` if it gave anything else, also for
 * one byte again and again: zeros are what is left of a key that it hands over a second time.
 */
function takenOver(key: unknown): Buffer | undefined {
  if (!isBytes(key)) return undefined
  const isKey = key.length === dataKeyBytes && key.some((byte) => byte !== key[0])
  const copy = isKey ? Buffer.alloc(dataKeyBytes) : undefined
  copy?.set(key)
  key.fill(0)
  return copy
}

/** The same for a call that may have ended: of a key that comes too late, no copy stays either. */
export function takenInTime(key: unknown, { signal }: KmsCall): Buffer | undefined {
  const root = takenOver(key)
  if (!signal.aborted) return root
  root?.fill(0)
  return undefined
}

/** Length of every data key. */
const dataKeyBytes = 32

/** Whether a service gave a blob that can be stored. */
export function isBlob(blob: unknown): blob is Bytes {
  return isBytes(blob) && blob.length > 0
}

/** The error for an answer that no service should give. */
export function strangeAnswer(providerId: string): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    `The key management service '${providerId}' did not return a data key of 32 bytes.`,
  )
}

/** Errors of a client may hold requests, answers and credentials: nothing of them but a plain name is told. */
function failureOf(error: unknown, providerId: string): StoreError {
  try {
    if (isStoreError(error)) return error.code === 'TIMEOUT' ? late() : error
    return failed(providerId, nameOf(error))
  } catch {
    // An error that throws when it is looked at.
    return failed(providerId, undefined)
  }
}

function failed(providerId: string, name: string | undefined): StoreError {
  const why = name === undefined ? '' : ` (${name})`
  return new StoreError(
    'UNAVAILABLE',
    `The key management service '${providerId}' failed${why}. Nothing was encrypted or decrypted.`,
  )
}

/** The name of an error, if it is a plain word such as `AccessDeniedException`. */
export function nameOf(error: unknown): string | undefined {
  const name: unknown = isError(error) ? error.name : undefined
  return typeof name === 'string' && /^[A-Za-z]{1,64}$/.test(name) ? name : undefined
}

function late(): StoreError {
  return new StoreError(
    'TIMEOUT',
    'The key management service gave no answer before the deadline; nothing was changed. Raise timeoutMs, or look at the service.',
  )
}
