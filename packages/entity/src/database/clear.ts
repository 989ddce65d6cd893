import type { Groups } from '@unikv/core'
import { type Call, inParallel } from '@unikv/core/adapter'
import type { Transact } from '../transaction/small-transactions.ts'

/** Groups that are emptied at the same time, and records of a group that are removed together. */
const [lanes, recordsAtOnce] = [8, 1_000]

/** Remove all records of these groups, and what they leave behind. Resolves to how many groups there were. */
export async function clearGroups(groups: Groups, transact: Transact, call: Call): Promise<number> {
  let count = 0
  for await (const names of groups.names('', call)) {
    await inParallel([...names], lanes, (name) => clearGroup(groups, transact, name, call))
    count += names.length
  }
  return count
}

async function clearGroup(groups: Groups, transact: Transact, name: string, call: Call): Promise<void> {
  for (let isEmpty = false; !isEmpty; )
    await transact(name, call, async (space) => {
      const found = await space.list({ prefix: '', limit: recordsAtOnce })
      isEmpty = found.length < recordsAtOnce
      return found.map(({ key }) => ({ key, value: undefined }))
    })
  await groups.forget(name, Number.POSITIVE_INFINITY, call)
}
