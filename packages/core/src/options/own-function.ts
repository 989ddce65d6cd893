import { isPromise } from '../contract/awaitable.ts'
import { StoreError } from '../contract/errors.ts'
import { kindOf } from './check-options.ts'

/**
 * A clock or source of random numbers of the application, whose mistakes are told as its own and not as failures of the
 * store. `undefined` stands for the default.
 *
 * @param whose The factory, such as `memory`
 * @param option The name of the option, such as `clock`
 * @throws {StoreError} `INVALID_CONFIG` if it is not a function; when called, `INVALID_ARGUMENT`
 */
export function ownNumbers(
  whose: string,
  option: string,
  own: unknown,
  fallback: () => number,
): () => number {
  if (own === undefined || own === fallback) return fallback
  if (typeof own !== 'function')
    throw new StoreError(
      'INVALID_CONFIG',
      `\`${option}\` of ${whose}() must be a function, got ${kindOf(own)}.`,
    )
  return () => {
    const value = called(whose, option, own as () => unknown)
    if (Number.isFinite(value)) return value as number
    throw new StoreError('INVALID_ARGUMENT', `\`${option}\` of ${whose}() must return a finite number.`)
  }
}

function called(whose: string, option: string, own: () => unknown): unknown {
  try {
    return heard(own())
  } catch (cause) {
    throw threw(`\`${option}\` of ${whose}()`, cause)
  }
}

/** The answer, if it is not a promise. An unexpected promise is ignored, and its rejection marked as handled. */
export function heard<T>(answer: T): T {
  if (isPromise(answer)) Promise.resolve(answer).catch(() => {})
  return answer
}

/** The error for something of the application that threw one. */
export function threw(what: string, cause: unknown): StoreError {
  return new StoreError('INVALID_ARGUMENT', `${what} threw an error; see the cause.`, { cause })
}
