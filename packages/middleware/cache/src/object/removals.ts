import type { EntryOptions, RemovalCause } from '../entry-options.ts'
import { keyOf } from '../tags/tag-names.ts'
import type { CachedEntry } from '../values/cached-entry.ts'

/** Told of each entry that is gone. */
export type Removed = (kept: CachedEntry, cause: RemovalCause) => void

/** Tells the application after the call that removed the entry, as it may call this cache again. */
export function removals(
  onRemove: EntryOptions['onRemove'],
  peek: (key: string) => CachedEntry | undefined,
): Removed | undefined {
  if (onRemove === undefined) return undefined
  return ({ key, entry }, cause) => {
    // No caller is left to report its error to.
    Promise.resolve()
      .then(() => (isStill(entry, peek(key)) ? undefined : onRemove(keyOf(key), entry?.value, cause)))
      .catch(() => {})
  }
}

/** Whether the very same value was kept anew, such as after a revalidation. Equal primitives may be two: their versions tell. */
function isStill(gone: CachedEntry['entry'], now: CachedEntry | undefined): boolean {
  const entry = now?.entry
  if (entry === undefined || gone === undefined) return false
  if (entry === gone) return true
  if (!Object.is(entry.value, gone.value)) return false
  return Object(gone.value) === gone.value || (gone.version !== undefined && entry.version === gone.version)
}
