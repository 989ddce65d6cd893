import { kindOf, StoreError } from '@unikv/core/adapter'

/** The wait after so many failures, in milliseconds. */
export type Waits = (failed: number) => number

/** Up to a minute. */
export const usualWaits: Waits = (failed) => Math.min(60_000, 100 * 2 ** (failed - 1))

/** An option for waits of an application, checked when they are asked for. */
export function waits(own: Waits | undefined = usualWaits, name: string, whose: string): Waits {
  if (typeof own === 'function') return checkedWaits(whose, own)
  throw new StoreError('INVALID_CONFIG', `\`${name}\` of ${whose}() must be a function; got ${kindOf(own)}.`)
}

/**
 * The waits of an application, checked when they are asked for.
 *
 * @throws {StoreError} `INVALID_CONFIG` for anything but a time; what its function throws
 */
function checkedWaits(whose: string, own: Waits): Waits {
  return (failed) => {
    const ms: unknown = own(failed)
    if (typeof ms === 'number' && ms >= 0) return ms
    const got = typeof ms === 'number' ? String(ms) : kindOf(ms)
    const message = `retryMs of ${whose}() must return milliseconds, from 0; got ${got} after failure ${failed}.`
    throw new StoreError('INVALID_CONFIG', message)
  }
}
