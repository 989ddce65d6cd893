import type { Awaitable, CallOptions, Mutation, WriteResult } from '@unikv/core'
import { doubtForMs, isUnknown } from '../loads/writes-under-way.ts'
import type { BusLink } from './bus-link.ts'

/** Tell others of a write before it is acknowledged, for every outcome; again later if the outcome is unknown. */
export async function told(
  bus: BusLink,
  mutations: readonly Mutation<unknown>[],
  call: CallOptions,
  write: () => Awaitable<readonly WriteResult[]>,
): Promise<readonly WriteResult[]> {
  let results: readonly WriteResult[] = []
  let failure: unknown
  try {
    results = await write()
    return results
  } catch (error) {
    failure = error
    throw error
  } finally {
    await bus.tell(mutations, results, call)
    const inDoubt = mutations.filter((_, i) => isUnknown(results[i] ?? failure))
    if (inDoubt.length > 0) bus.tellAgain(inDoubt, doubtForMs)
  }
}
