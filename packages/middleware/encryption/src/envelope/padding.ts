import { checkFactoryOptions, StoreError } from '@unikv/core/adapter'

/**
 * The lengths that an observer can tell apart.
 *
 * - `'none'`: all of them
 * - `'padme'`: at most 12 % longer, and of the length only its order of magnitude and some leading bits are told
 *   (Padmé, of PURBs); contents of less than 32 bytes look alike
 * - `{ toMultipleOf: n }`: only how many times `n` bytes it takes; `n` is 2 to 16 Mi
 *
 * Padding has at least one byte, so that no length goes without: `n` bytes take twice `n`.
 */
export type Padding = 'none' | 'padme' | { readonly toMultipleOf: number }

/** The padded length of a content. Always longer than it, and never falls as the content grows. */
export type PaddedLength = (bytes: number) => number

const leastPadmeBytes = 32
const mostMultiple = 16_777_216

/**
 * How long contents are made; `undefined` where they stay as they are.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function paddedLength(padding: Padding): PaddedLength | undefined {
  if (padding === 'none') return undefined
  if (padding === 'padme') return padme
  const step: unknown = typeof padding === 'object' && padding !== null ? padding.toMultipleOf : undefined
  if (step !== undefined) checkFactoryOptions('padding', padding, { toMultipleOf: true })
  if (typeof step === 'number' && Number.isInteger(step) && step >= 2 && step <= mostMultiple)
    return (bytes) => (Math.floor(bytes / step) + 1) * step
  throw new StoreError(
    'INVALID_CONFIG',
    "padding must be 'none', 'padme' or { toMultipleOf: n } with n from 2 to 16,777,216.",
  )
}

/** Keeps of a length as many leading bits as its exponent has, and rounds the rest up. */
function padme(bytes: number): number {
  const least = bytes + 1
  if (least <= leastPadmeBytes) return leastPadmeBytes
  const exponent = Math.floor(Math.log2(least))
  const step = 2 ** (exponent - Math.floor(Math.log2(exponent)) - 1)
  return Math.ceil(least / step) * step
}
