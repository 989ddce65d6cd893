import type { ErrorCode } from '@unikv/core'
import { isStoreError, StoreError } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import type { Progress } from './options.ts'
import type { Pace } from './transfer/pace.ts'

/** How stores are asked. */
export interface Ways {
  /** Deadline of one call. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Most records a page. */
  readonly pageSize?: number | undefined
  /** Keeps reading and writing of records at a rate. */
  readonly pace?: Pace | undefined
  /** Tells the caller how far the work is. It never throws. */
  readonly told: (progress: Progress) => void
}

/** Failures that may pass. A write whose outcome is unknown may be sent again: it leaves the same record. */
const passing: ReadonlySet<ErrorCode> = new Set(['TIMEOUT', 'UNAVAILABLE', 'OVERLOADED', 'OUTCOME_UNKNOWN'])
const pauses = [100, 300, 1_000, 3_000, 10_000]

/** Whether a call may succeed if it is made again. */
export function mayPass(error: unknown): boolean {
  return isStoreError(error) && passing.has(error.code)
}

/** Do work that may be done again, up to six times while its errors may pass. */
export async function retried<T>({ signal }: Ways, work: () => Promise<T>): Promise<T> {
  for (let round = 0; ; round++) {
    refuseAborted(signal)
    try {
      return await work()
    } catch (error) {
      const ms = pauses[round]
      if (ms === undefined || !mayPass(error)) throw error
      await pause(ms, { signal })
    }
  }
}

/** @throws {StoreError} `ABORTED` */
export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new StoreError('ABORTED', 'Stopped.', { cause: signal.reason })
}
