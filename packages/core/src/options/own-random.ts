import { StoreError } from '../contract/errors.ts'
import { ownNumbers } from './own-function.ts'

/**
 * The option `random` of the application: uniform in [0, 1).
 *
 * @throws {StoreError} `INVALID_CONFIG` if it is not a function; when called, `INVALID_ARGUMENT` for a number that is not
 * from 0 to below 1
 */
export function ownRandom(whose: string, own: unknown): () => number {
  const random = ownNumbers(whose, 'random', own, Math.random)
  if (random === Math.random) return random
  return () => {
    const share = random()
    if (share >= 0 && share < 1) return share
    throw new StoreError(
      'INVALID_ARGUMENT',
      `\`random\` of ${whose}() must return a number from 0 to below 1, as Math.random does; got ${share}.`,
    )
  }
}

/** The same where a mistake could not be reported, such as in a timer: there `Math.random` stands in. */
export function unfailingRandom(whose: string, own: unknown): () => number {
  const random = ownRandom(whose, own)
  if (random === Math.random) return random
  return () => {
    try {
      return random()
    } catch {
      return Math.random()
    }
  }
}
