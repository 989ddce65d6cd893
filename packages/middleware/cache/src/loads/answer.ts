import {
  type Awaitable,
  type Entry,
  isEntry,
  isPromise,
  isStoreError,
  type NotModified,
  type Read,
  type ReadResult,
  type StoreError,
  toStoreError,
} from '@unikv/core'
import type { Shared } from '../values/sharing.ts'

/** The whole call below failed; an item of it that failed alone is a `StoreError` instead. */
export class Failure {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/** A loader, or the codec that takes its answer, threw this for one key. It reaches all callers of this key unchanged. */
export class Thrown extends Failure {}

/** The answer, or what was thrown for it. */
export function orThrown<T>(run: () => Awaitable<T>): Awaitable<T | Thrown> {
  const failed = (error: unknown): Thrown => new Thrown(error)
  try {
    const answer = run()
    return isPromise(answer) ? answer.catch(failed) : answer
  } catch (error) {
    return failed(error)
  }
}

/** The thrown errors behind errors of stores: the tiers between pass on nothing else. */
const madeOf = new WeakMap<StoreError, Thrown>()

/** The thrown error, where another error was made of it. */
export function unmade<T>(result: T): T | Thrown {
  return isStoreError(result) ? (madeOf.get(result) ?? result) : result
}

/** Result of a load for one key. */
export interface Answer {
  /** For the reader who started the load. */
  readonly result: Entry<unknown> | StoreError | Failure | undefined
  /** How the value serves further readers; `undefined`: it can be neither frozen nor copied. */
  readonly shared?: Shared | undefined
}

/** A result on its way to the reader. */
export type Found = ReadResult<unknown> | Failure

/** This caller must start its own load. */
export const alone: unique symbol = Symbol('alone')

/**
 * The result for one more reader, or `alone` if its copy failed. One that can be neither frozen nor copied is handed out as
 * it is where `mayHandOut` says so: where readers bring loaders along, a load for each of 500 would be a herd.
 */
export function another({ result, shared }: Answer, mayHandOut: boolean): Answer['result'] | typeof alone {
  if (result instanceof Failure || !isEntry(result)) return result
  if (shared === undefined) return mayHandOut ? result : alone
  if (shared.copy === undefined) return result
  try {
    return { ...result, value: shared.copy(shared.value) }
  } catch {
    return alone
  }
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
  if (first instanceof Failure && found.every((one) => isPartOf(first, one))) throw first.error
  return found.map((one) => (one instanceof Failure ? asStoreError(one) : one))
}

/** An error thrown for one key says nothing about another key. */
function isPartOf({ error }: Failure, one: Found): boolean {
  return one instanceof Failure && (!(one instanceof Thrown) || one.error === error)
}

function asStoreError(failure: Failure): StoreError {
  const made = toStoreError(failure.error, {})
  if (failure instanceof Thrown) madeOf.set(made, failure)
  return made
}

/** Whether the store has answered. */
export function isAnswer(found: Found): found is ReadResult<unknown> & Exclude<Found, Failure | StoreError> {
  return !(found instanceof Failure) && !isStoreError(found)
}

/** Result of a load as the answer of the caller that began it; none for *not modified*. */
export function asBrought(found: Found): Answer['result'] {
  return found instanceof Failure || isStoreError(found) || (found !== undefined && isEntry(found))
    ? found
    : undefined
}

/** The results of a call, or its failure in the place of each. */
export function orFailure<T>(
  items: readonly unknown[],
  run: () => Awaitable<readonly T[]>,
): Awaitable<readonly (T | Failure)[]> {
  const failed = (error: unknown) => items.map(() => new Failure(error))
  try {
    const results = run()
    return isPromise(results) ? results.catch(failed) : results
  } catch (error) {
    return failed(error)
  }
}

/** Whether a key could not be read. */
export function isFailure(found: unknown): found is Failure | StoreError {
  return found instanceof Failure || isStoreError(found)
}

/** In the place of an answer that a cache does not have at hand. */
export const missing: unique symbol = Symbol('missing')

/** An answer that may be there. */
export type MaybeFound = Found | typeof missing
