import { isStoreError, isWritten, StoreError } from '@unikv/core'
import { untagged } from '../tags/tag-names.ts'
import type { TierStore } from './tier-store.ts'
import { TierWait } from './tier-wait.ts'

/**
 * Replace the records of tags, so that no record of an entry is right any more that was loaded before.
 *
 * @throws {StoreError} if the cache store has not confirmed that of each
 */
export async function invalidateStored(tags: readonly string[], store: TierStore): Promise<void> {
  const stored = store.tags
  if (stored === undefined) throw untagged()
  const results = await store.writeInTime(
    tags.map((tag) => stored.replacing(stored.keyOf(tag))),
    new TierWait(),
  )
  const failed = results.find((result) => result === undefined || !isWritten(result))
  if (results.every((result) => result !== undefined && isWritten(result))) return
  const cause = isStoreError(failed) ? failed : undefined
  throw new StoreError(
    cause?.code ?? 'OUTCOME_UNKNOWN',
    'The cache store did not confirm that these tags are invalidated: entries loaded before may still be returned. Try again.',
    { cause },
  )
}
