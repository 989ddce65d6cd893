import type { Tier } from './tier.ts'
import type { TierStore } from './tier-store.ts'
import type { TierWait } from './tier-wait.ts'
import type { UnconfirmedKeys } from './unconfirmed-keys.ts'

/** Void all records whose keys start so, page by page; what cannot be done puts all of them in doubt here. */
export async function clearTier(
  prefixes: readonly string[],
  wait: TierWait,
  {
    store,
    unconfirmed,
    tier,
  }: { readonly store: TierStore; readonly unconfirmed: UnconfirmedKeys; readonly tier: Tier },
): Promise<boolean> {
  let isDone = true
  for (const prefix of prefixes) {
    try {
      for await (const keys of store.keys(prefix, wait)) {
        const { unsure } = await tier.unmark(keys, new Map(), new Map(), wait)
        isDone &&= unsure.size === 0
      }
    } catch (error) {
      store.failure(error)
      unconfirmed.doubtAll()
      isDone = false
    }
  }
  return isDone
}
