import {
  type Entry,
  isEntry,
  type NotModified,
  type Read,
  type ReadResult,
  type StoreError,
  toStoreError,
} from '@unikv/core'
import type { Shared } from './sharing.ts'

/** The whole call below failed; an item of it that failed alone is a `StoreError` instead. */
export class Failure {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/** What is known of one key after a load. */
export interface Answer {
  /** For the reader who started the load. */
  readonly result: Entry<unknown> | StoreError | Failure | undefined
  /** How the value serves further readers; `undefined`: not at all. */
  readonly shared?: Shared | undefined
}

/** A result on its way to the reader. */
export type Found = ReadResult<unknown> | Failure

/** He must load by himself. */
export const alone: unique symbol = Symbol('alone')

/** The result for one more reader, or `alone` if the value can be neither shared nor copied. */
export function another({ result, shared }: Answer): Answer['result'] | typeof alone {
  if (result instanceof Failure || !isEntry(result)) return result
  if (shared === undefined) return alone
  return shared.copy === undefined ? result : { ...result, value: shared.copy(shared.value) }
}

/** The result as it was asked for: without the body if that is not wanted, or known already. */
export function asAsked({ head, ifNotVersion }: Read, found: Found): Found {
  if (head !== true && ifNotVersion === undefined) return found
  if (found instanceof Failure || !isEntry(found)) return found
  const { version, expiresAt, meta } = found
  const known = ifNotVersion !== undefined && ifNotVersion === version
  return head === true || known ? { notModified: true, version, expiresAt, meta } : found
}

/** An entry that the source called the same: with the expiry that it told, if it told any. */
export function renewed<V>(entry: Entry<V>, told: NotModified): Entry<V> {
  return 'expiresAt' in told ? { ...entry, expiresAt: told.expiresAt } : entry
}

/** The results of a call; if all of it ended in the failure of a call, so does this one. */
export function settled(found: readonly Found[]): readonly ReadResult<unknown>[] {
  const [first] = found
  if (first instanceof Failure && found.every((one) => one instanceof Failure)) throw first.error
  return found.map((one) => (one instanceof Failure ? toStoreError(one.error, {}) : one))
}
