import { StoreError } from '../contract/errors.ts'
import type { Option } from '../options/option-table.ts'
import { heard } from '../options/own-function.ts'

/** Takes work that goes on after the answer was given, such as `waitUntil` of a serverless platform. */
export type Background = (work: Promise<unknown>) => unknown

/**
 * The same, but for what it throws, as a platform's does outside a request: the answer is given all the same, and the
 * work goes on as long as the process does. The promise that it is given never rejects.
 */
export function unfailing(background: Background): Background
export function unfailing(background: Background | undefined): Background | undefined
export function unfailing(background: Background | undefined): Background | undefined {
  if (typeof background !== 'function') return background
  return (work) => {
    // Handled also where the platform throws.
    const quiet = work.catch(() => {})
    try {
      return heard(background(quiet))
    } catch {
      return undefined
    }
  }
}

/** The option that takes such work. */
export function background<D extends Background | undefined = undefined>(
  fallback?: D,
): Option<Background | undefined, Background | D> {
  return (given, name, whose) => {
    if (given !== undefined && typeof given !== 'function')
      throw new StoreError(
        'INVALID_CONFIG',
        `\`${name}\` of ${whose}() must be a function that takes a promise.`,
      )
    return unfailing(given ?? fallback) as Background | D
  }
}
