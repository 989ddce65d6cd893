import { type CallOptions, StoreError } from '@unikv/core'
import { awaitedUntil } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'

/** Milliseconds that an answer needs on its way to the caller; a short call keeps a quarter of its time for it. */
const wayMs = 100

/**
 * How long a caller can wait until a stale entry has to be the answer, or comes too late. `lookMs`: what it takes to find one.
 */
export function lastMomentMs(call: CallOptions, lookMs = 0): number {
  const now = performance.now()
  const leftMs = awaitedUntil(call) - now
  return leftMs === Number.POSITIVE_INFINITY ? leftMs : leftMs - Math.min(leftMs / 4, wayMs + lookMs)
}

/** The failure of a read beside others that have their answers: all of them are told together. */
export function tooLate(): StoreError {
  return new StoreError('TIMEOUT', 'No answer before the deadline; nothing was changed.')
}
