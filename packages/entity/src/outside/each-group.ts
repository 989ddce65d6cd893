import type { Groups, StoreError } from '@unikv/core'
import { type Call, inParallel, isStoreError } from '@unikv/core/adapter'
import { ForeignRecord } from '../groups/group-record.ts'

/**
 * Work on all groups whose names begin so, some of them at the same time. Records of other programs are passed by. One that cannot be read stops nothing, and
 * stays: the error of the first such group is the result.
 */
export async function eachGroup(
  groups: Groups,
  prefix: string,
  call: Call,
  work: (group: string) => Promise<void>,
  lanes: number,
): Promise<StoreError | undefined> {
  let damaged: StoreError | undefined
  const one = async (group: string): Promise<void> => {
    try {
      await work(group)
    } catch (error) {
      if (error instanceof ForeignRecord && error.key === group) return
      if (!isStoreError(error) || error.code !== 'CORRUPT') throw error
      damaged ??= error
    }
  }
  for await (const names of groups.names(prefix, call)) await inParallel(names, lanes, one)
  return damaged
}
