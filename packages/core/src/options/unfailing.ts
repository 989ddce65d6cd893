import { StoreError } from '../contract/errors.ts'
import { kindOf } from './check-options.ts'
import { heard, ownNumbers } from './own-function.ts'

/**
 * A listener of the application as a layer calls it: in the middle of a call, or from a timer. Any error it throws, or rejects
 * with, is its own affair; the layer goes on.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it is not a function
 */
export function unfailingListener<E>(
  whose: string,
  option: string,
  listener: ((event: E) => unknown) | undefined,
): (event: E) => void {
  if (listener === undefined) return () => {}
  if (typeof listener !== 'function')
    throw new StoreError(
      'INVALID_CONFIG',
      `\`${option}\` of ${whose}() must be a function, got ${kindOf(listener)}.`,
    )
  return (event) => {
    try {
      heard(listener(event))
    } catch {
      // No caller is left to report the error to.
    }
  }
}

/**
 * A clock or source of random numbers of the application that is also asked where its mistakes could not be reported,
 * such as in a timer: there the default stands in.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it is not a function
 */
export function unfailingNumbers(
  whose: string,
  option: string,
  own: (() => number) | undefined,
  fallback: () => number,
): () => number {
  const numbers = ownNumbers(whose, option, own, fallback)
  if (numbers === fallback) return fallback
  return () => {
    try {
      return numbers()
    } catch {
      return fallback()
    }
  }
}
