import type { GroupCall, Groups } from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'

/** Groups that are emptied at the same time, and records of a group that are removed together. */
const [lanes, recordsAtOnce] = [8, 1_000]

/** Remove all records of these groups, and what they leave behind. Resolves to how many groups there were. */
export async function clearGroups(groups: Groups, call: GroupCall): Promise<number> {
  let count = 0
  for await (const names of groups.names('', call)) {
    await inParallel([...names], lanes, (name) => clearGroup(groups, name, call))
    count += names.length
  }
  return count
}

async function clearGroup(groups: Groups, name: string, call: GroupCall): Promise<void> {
  for (let isEmpty = false; !isEmpty; ) {
    const transaction = await groups.begin(name, call)
    const found = await transaction.list({ prefix: '', limit: recordsAtOnce })
    const isDone = await transaction.commit(found.map(({ key }) => ({ key, value: undefined })))
    isEmpty = isDone && found.length < recordsAtOnce
  }
  await groups.forget(name, Number.POSITIVE_INFINITY, call)
}
