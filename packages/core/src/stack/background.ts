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
