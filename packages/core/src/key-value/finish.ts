import type { Bytes } from '../contract/bytes.ts'
import { isConditionFailed, isEntry } from '../contract/entry.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type {
  ConditionFailed,
  Entry,
  NotModified,
  ReadResult,
  WriteResult,
  Written,
} from '../contract/store.ts'
import { isBytes } from '../platform/realms.ts'
import type { Head } from './key-value.ts'

// The result of a single operation from a batch of one. Functions without closures, as they are called
// for every operation.

function onlyOf<R>(results: readonly (R | StoreError)[]): R {
  // Read by index: destructuring an array needs an iterator, which costs as much as the rest of a cached read.
  const result = results[0] as R | StoreError
  if (isStoreError(result)) throw result
  return result
}

/** The result of a single read. */
export type Found<V> = Entry<V> | NotModified | undefined

/** The entry, *not modified* or nothing; an error in its place is thrown. */
export const foundOf: <V>(results: readonly ReadResult<V>[]) => Found<V> = onlyOf

/** The value of a found entry. */
export function valueOf<V>(results: readonly ReadResult<V>[]): V | undefined {
  const found = results[0]
  if (isEntry(found)) return found.value
  if (isStoreError(found)) throw found
  return undefined
}

/** As `valueOf`, for values that may be bytes. */
export function ownValueOf<V>(results: readonly ReadResult<V>[]): V | undefined {
  return ownBytes(valueOf(results))
}

/** As `foundOf`, for values that may be bytes. */
export function ownFoundOf<V>(results: readonly ReadResult<V>[]): Found<V> {
  return ownEntry(foundOf(results))
}

/** The entry found, with bytes that belong only to its reader. */
export function ownEntry<R>(found: R): R {
  if (!isEntry(found as ReadResult<unknown>)) return found
  const { value } = found as Entry<unknown>
  const own = ownBytes(value)
  return own === value ? found : { ...found, value: own }
}

/** Whether anything was found. */
export function presenceOf(results: readonly ReadResult<unknown>[]): boolean {
  return foundOf(results) !== undefined
}

/** Version and expiry of what was found. */
export function headOf(results: readonly ReadResult<unknown>[]): Head | undefined {
  const found = foundOf(results)
  return found === undefined ? undefined : { version: found.version, expiresAt: found.expiresAt }
}

/** The outcome of a single mutation; throws if it failed. */
export const outcomeOf: (results: readonly WriteResult[]) => Written | ConditionFailed = onlyOf

/** As `outcomeOf`; a refusal by its condition is `CONDITION_FAILED`. */
export function writtenOf(results: readonly WriteResult[]): Written {
  const outcome = outcomeOf(results)
  if (isConditionFailed(outcome)) throw conditionFailed(outcome)
  return outcome
}

/** Whether a touch found its record. */
export function touchedOf(results: readonly WriteResult[]): boolean {
  return !isConditionFailed(outcomeOf(results))
}

/** The number after an increment. */
export function numberOf(results: readonly WriteResult[]): number {
  return writtenOf(results).value as number
}

/** The number after an increment, as an entry. */
export function countOf(results: readonly WriteResult[]): Entry<number> {
  const { value, version, expiresAt } = writtenOf(results)
  return { value: value as number, version, expiresAt }
}

/** The error for a condition that did not hold. */
export function conditionFailed({ version }: ConditionFailed): StoreError {
  const message = 'The record does not have the expected version. Read it again before you decide.'
  return new StoreError('CONDITION_FAILED', message, { version })
}

/**
 * Bytes as the caller of a KeyValue gets them: a plain `Uint8Array` in memory of exactly its length, which is not shared.
 * Anything else is passed through.
 */
export function ownBytes<V>(value: V): V {
  if (!isBytes(value)) return value
  const isExact = value.constructor === Uint8Array && value.byteLength === value.buffer.byteLength
  return isExact ? value : (new Uint8Array(value) as Bytes as V)
}
