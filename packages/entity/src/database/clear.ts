import type { Groups } from '@unikv/core'
import { type Call, isStoreError, StoreError } from '@unikv/core/adapter'
import { eachGroup } from '../outside/each-group.ts'
import type { Transact } from '../runs/small-transactions.ts'

/** Groups that are emptied at the same time, and records of a group that are removed together. */
const [lanes, recordsAtOnce] = [8, 1_000]

/**
 * Remove all records of these groups, and what they leave behind. Records of other programs stay. Resolves to how many groups there were.
 *
 * @throws {StoreError} `PARTIAL`, or `OUTCOME_UNKNOWN`, if it ends early after groups went; `error.done` counts them
 */
export async function clearGroups(groups: Groups, transact: Transact, call: Call): Promise<number> {
  const progress = { done: 0, hasChanged: false }
  try {
    const clear = (name: string): Promise<void> => clearGroup(groups, transact, name, call, progress)
    const damaged = await eachGroup(groups, '', call, clear, lanes)
    if (damaged !== undefined) throw damaged
    return progress.done
  } catch (error) {
    throw progress.hasChanged ? endedEarly(error, progress.done) : error
  }
}

function endedEarly(cause: unknown, done: number): StoreError {
  const { code, retryable } = isStoreError(cause) ? cause : { code: undefined, retryable: false }
  const isUnsure = code === 'OUTCOME_UNKNOWN'
  const which = isUnsure ? 'others may be too' : 'of the rest some may have lost records'
  const message =
    code === 'CORRUPT'
      ? `clear removed ${done} groups, and left at least one that cannot be read: \`cause\` says why.`
      : `clear ended early: ${done} groups were removed, and ${which}. Call it again.`
  return new StoreError(isUnsure ? 'OUTCOME_UNKNOWN' : 'PARTIAL', message, { cause, done, retryable })
}

async function clearGroup(
  groups: Groups,
  transact: Transact,
  name: string,
  call: Call,
  progress: { done: number; hasChanged: boolean },
): Promise<void> {
  for (let isEmpty = false; !isEmpty; progress.hasChanged = true)
    await transact(name, call, async (space) => {
      const found = await space.list({ prefix: '', limit: recordsAtOnce })
      isEmpty = found.length < recordsAtOnce
      return found.map(({ key }) => ({ key, value: undefined }))
    })
  await groups.forget(name, Number.POSITIVE_INFINITY, call)
  progress.done++
}
