import { cannotLoad } from '@unikv/core/adapter'
import type * as Queue from '@unikv/workload-queue'
import type { Terminal } from '../terminal.ts'
import { ownVersion } from '../versions.ts'
import type { BenchRequest } from './bench-request.ts'

/**
 * The package of workers, which is installed only where they are used.
 *
 * @throws {StoreError} `INVALID_CONFIG` that says how to install it
 */
export async function queuePackage(): Promise<typeof Queue> {
  const name = '@unikv/workload-queue'
  try {
    return await import('@unikv/workload-queue')
  } catch (cause) {
    throw cannotLoad(name, cause, `${name}@${ownVersion()}`)
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
