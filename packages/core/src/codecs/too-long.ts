import { constants } from 'node:buffer'
import { StoreError } from '../contract/errors.ts'
import { isError } from '../platform/realms.ts'

/** Most characters of a string of this runtime; bytes have no such limit. */
const mostCharacters = constants.MAX_STRING_LENGTH

/**
 * The error where a value is sound, but its text is longer than a string can be; `undefined` for any other failure.
 *
 * @param stored - bytes of the text, where it was being read
 */
export function tooLong(cause: unknown, stored?: number): StoreError | undefined {
  if (!isError(cause)) return undefined
  const { code } = cause as { readonly code?: unknown }
  if (code !== 'ERR_STRING_TOO_LONG' && cause.message !== 'Invalid string length') return undefined
  const limit = `a string of Node.js holds ${mostCharacters} characters at most`
  const message =
    stored === undefined
      ? `The value is too large for this codec: its text would be longer than a string can be, and ${limit}. Split it, or store it by bytes().`
      : `The stored value has ${stored} bytes, which is sound, but too large for this codec: ${limit}. Read it by bytes().`
  return new StoreError('VALUE_TOO_LARGE', message, { cause })
}
