import { StoreError } from '../contract/errors.ts'
import { kindOf } from './check-options.ts'

/**
 * Refuse what is not one of the words that an option takes. `undefined` passes.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkOneOf(option: string, value: unknown, words: readonly string[]): void {
  if (value === undefined || words.includes(value as string)) return
  const known = words.map((word) => `'${word}'`).join(' or ')
  const got = typeof value === 'string' ? 'another string' : kindOf(value)
  throw new StoreError('INVALID_CONFIG', `${option} must be ${known}, or left out; got ${got}.`)
}

/**
 * Reject a name that is not a non-empty, well-formed string. `undefined` passes.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkName(option: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value !== '' && value.isWellFormed())) return
  const got = typeof value === 'string' ? (value === '' ? 'an empty one' : 'a lone surrogate') : kindOf(value)
  throw new StoreError('INVALID_CONFIG', `${option} must be a non-empty, well-formed string; got ${got}.`)
}
