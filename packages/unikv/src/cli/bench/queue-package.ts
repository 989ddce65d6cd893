import type * as Queue from '@unikv/bench/workers'
import { cannotLoad } from '@unikv/core/adapter'
import type { Terminal } from '../terminal.ts'
import type { BenchRequest } from './bench-request.ts'

/**
 * The workers, whose packages are installed only where they are used.
 *
 * @throws {StoreError} `INVALID_CONFIG` that says how to install it
 */
export async function queuePackage(): Promise<typeof Queue> {
  try {
    return await import('@unikv/bench/workers')
  } catch (cause) {
    throw cannotLoad('bullmq', cause, 'bullmq ioredis')
  }
}

/** The workers that a request asks for; what they tell goes to the terminal. */
export async function openedCrew(
  { queue }: BenchRequest,
  { error }: Terminal,
): Promise<Queue.QueueCrew | undefined> {
  if (queue === undefined) return undefined
  const { openCrew } = await queuePackage()
  const onNotice = (text: string): void => error(`unikv: ${text}\n`)
  return openCrew({ queue: queue.url, waitMs: queue.waitMs, onNotice })
}
