import type { EntryOptions, RemovalCause } from '../entry-options.ts'
import { keyOf } from '../tags/tag-names.ts'
import type { Kept } from './kept.ts'

/** Told of each entry that is gone. */
export type Removed = (kept: Kept, cause: RemovalCause) => void

/** Tells the application after the call that removed the entry, as it may call this cache again. */
export function removals(
  onRemove: EntryOptions['onRemove'],
  peek: (key: string) => Kept | undefined,
): Removed | undefined {
  if (onRemove === undefined) return undefined
  return ({ key, entry }, cause) => {
    // What it throws has nobody to tell.
    Promise.resolve()
      .then(() => (isStill(entry, peek(key)) ? undefined : onRemove(keyOf(key), entry?.value, cause)))
      .catch(() => {})
  }
}

/** Whether the very same value was kept anew, such as after a revalidation. */
function isStill(gone: Kept['entry'], now: Kept | undefined): boolean {
  return now !== undefined && gone !== undefined && now.entry?.value === gone.value
}
