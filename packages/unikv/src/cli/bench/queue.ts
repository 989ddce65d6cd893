import type { StudyConfig } from '@unikv/bench'
import { parseDuration } from '@unikv/bench/engine'
import type * as Queue from '@unikv/bench/workers'
import { StoreError } from '@unikv/core'
import { cannotLoad } from '@unikv/core/adapter'
import type { Terminal } from '../terminal.ts'

/** Where workers wait, and how long they are waited for. */
export interface QueueRequest {
  readonly url: string
  readonly waitMs: number | undefined
}

/**
 * The queue of a run that workers share.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for workers without a queue, and for a queue without workers
 */
export function queueRequest(
  { queue: url, wait }: { readonly queue?: string; readonly wait?: string },
  config: StudyConfig,
): QueueRequest | undefined {
  const { workers = 0 } = config as { readonly workers?: number }
  if (workers === 0) return withoutWorkers(url, wait)
  if (url !== undefined) return { url, waitMs: wait === undefined ? undefined : parseDuration(wait) }
  throw wrong('--workers needs --queue: the Redis where they wait, such as --queue redis://127.0.0.1.')
}

function withoutWorkers(url: string | undefined, wait: string | undefined): undefined {
  if (url !== undefined) throw wrong('--queue needs --workers: how many of them share the run.')
  if (wait !== undefined) throw wrong('--wait needs --workers: it is the longest wait for them.')
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}

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
  { queue }: { readonly queue: QueueRequest | undefined },
  { error }: Terminal,
): Promise<Queue.QueueCrew | undefined> {
  if (queue === undefined) return undefined
  const { openCrew } = await queuePackage()
  const onNotice = (text: string): void => error(`unikv: ${text}\n`)
  return openCrew({ queue: queue.url, waitMs: queue.waitMs, onNotice })
}
