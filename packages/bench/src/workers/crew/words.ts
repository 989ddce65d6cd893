import { isStoreError, StoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import type { QueueAddress } from '../queue/address.ts'

/** How to start a worker. */
export function started(shown: string): string {
  return `Start each with: npx unikv bench worker --queue ${shown}`
}

/** No worker took a share in time. */
export function noWorkers(waitedMs: number, found: number, of: number, shown: string): StoreError {
  const message = `Only ${found} of ${of} workers came within ${Math.round(waitedMs / 1_000)} s. ${started(shown)}`
  return new StoreError('UNAVAILABLE', message)
}

/** An error of a command to the queue. */
export function contactLost({ shown }: QueueAddress, cause: unknown): unknown {
  if (isStoreError(cause)) return cause
  const said = isError(cause) ? cause.message.replace(/[.\s]+$/, '') : String(cause)
  return new StoreError('UNAVAILABLE', `The queue at ${shown} was lost: ${said}.`, { cause })
}

/** The queue is in use. */
export function otherManager({ shown }: QueueAddress): StoreError {
  const message = `Another run uses the workers of ${shown}. Wait for its end, or use another database for this run and its workers, such as redis://HOST/1.`
  return new StoreError('UNAVAILABLE', message)
}
