import type { CallOptions } from '@unikv/core'
import { leftMs } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'

const firstMs = 25
const mostMs = 1_000
/** Time that an answer needs on its way up. */
const marginMs = 20

/**
 * Wait with full jitter before what DynamoDB had no room for goes out again; `false` if there is no time for that
 * before the deadline.
 */
export async function backoff(round: number, call: CallOptions): Promise<boolean> {
  const waitMs = Math.random() * Math.min(mostMs, firstMs * 2 ** round)
  if (leftMs(call) <= waitMs + marginMs) return false
  const { signal } = call
  await pause(waitMs, { signal })
  return signal?.aborted !== true && call.settled !== true
}
