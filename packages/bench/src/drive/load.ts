import { performance } from '@unikv/core/platform'
import { firstCause } from '../loop/loop-result.ts'
import type { OperationContext } from '../operations/context.ts'
import type { LoadHooks, LoadPart, LoadSample } from './driver.ts'

/** Records in one call of a load, about the most bytes of one, and calls at the same time. */
const batchSize = 100
const batchBytes = 4 * 1024 * 1024
const callers = 8

/** Where records are written, and the length of the largest one. */
interface LoadContext extends Pick<OperationContext, 'kv' | 'keyOf' | 'valueOf'> {
  readonly largest: number
}

/**
 * Write records in batches.
 *
 * @throws an error of the store, or the reason of the signal, when no write is under way any more
 */
export async function loadRecords(
  { kv, keyOf, valueOf, largest }: LoadContext,
  { first, count }: Pick<LoadPart, 'first' | 'count'>,
  { signal, onProgress }: LoadHooks,
): Promise<LoadSample> {
  const end = first + count
  const size = Math.max(1, Math.min(batchSize, Math.floor(batchBytes / largest)))
  const startMs = performance.now()
  let next = first
  let done = 0
  const work = async (): Promise<void> => {
    while (next < end) {
      signal.throwIfAborted()
      const from = next
      next = Math.min(end, from + size)
      const numbers = Array.from({ length: next - from }, (_, index) => from + index)
      await kv.setMany(
        numbers.map((number) => [keyOf(number), valueOf(number)] as const),
        { signal },
      )
      done += numbers.length
      onProgress?.(done)
    }
  }
  const caller = (): Promise<void> =>
    work().catch((error: unknown) => {
      next = end // the others start nothing more
      throw firstCause(error)
    })
  for (const ended of await Promise.allSettled(Array.from({ length: callers }, caller)))
    if (ended.status === 'rejected') throw ended.reason
  return { records: count, elapsedMs: performance.now() - startMs }
}
