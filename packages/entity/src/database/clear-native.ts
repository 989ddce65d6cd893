import { checkKeyValue, checkOptions, isStoreError, within } from '@unikv/core/adapter'
import { nativeGroups, nestedGroups } from '../groups/choose-groups.ts'
import type { GroupKeyValue } from '../groups/record-store.ts'
import { profiles } from '../retry/profiles.ts'
import { Runner } from '../runs/runner.ts'
import { smallTransactions } from '../runs/small-transactions.ts'
import { clearGroups } from './clear.ts'

/** Options of `clearNativeGroups`. */
export interface ClearNativeOptions {
  /** Also those of the namespaces inside, as `kv.clear({ all: true })` does. @default false */
  readonly all?: boolean | undefined
}

/**
 * Remove the groups of native transactions in a KeyValue, of all types: those that a process left which was killed. Its records stay, and so do the
 * groups of namespaces inside unless `all` is given. Resolves to how many groups there were; a store without native transactions has none.
 */
export async function clearNativeGroups(
  kv: GroupKeyValue,
  options: ClearNativeOptions = {},
): Promise<number> {
  checkKeyValue('clearNativeGroups', kv)
  checkOptions('clearNativeGroups', options, { all: true }, 'INVALID_ARGUMENT')
  const groups = options.all === true ? nestedGroups(kv) : nativeGroups(kv)
  if (groups === undefined) return 0
  try {
    const plan = { retry: profiles.default, onRetry: undefined }
    const transact = smallTransactions(groups, new Runner(Math.random), plan)
    return await clearGroups(groups, transact, within(Number.POSITIVE_INFINITY))
  } catch (error) {
    // Groups have a table of their own, which was never made.
    if (isStoreError(error) && error.code === 'NOT_PREPARED') return 0
    throw error
  }
}
