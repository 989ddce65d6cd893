/** The revalidations of a tag, as marks. A mark concerns the entries that were begun before it. */
export interface TagState {
  /** Such entries may be shown once more, while new ones are made. */
  readonly stale: number
  /** Such entries are gone. */
  readonly expired: number
  /** Such entries are gone from this time on, in milliseconds since 1970. */
  readonly due?: { readonly mark: number; readonly at: number } | undefined
}

/** How `revalidateTag(tag, profile)` of Next.js tells that entries may be shown for `expire` more seconds. */
export interface Durations {
  readonly expire?: number | undefined
}

/** Whether an entry may be shown: always, once more, or not at all. */
export type Freshness = 'fresh' | 'stale' | 'expired'

/** A tag after one more revalidation. No member ever falls. Without durations, entries are gone at once. */
export function revalidated(
  old: TagState | undefined,
  mark: number,
  now: number,
  durations?: Durations,
): TagState {
  const { stale = 0, expired = 0, due } = old ?? {}
  const passed = due !== undefined && due.at <= now ? Math.max(expired, due.mark) : expired
  const pending = due !== undefined && due.at > now ? due : undefined
  const { expire = Number.POSITIVE_INFINITY } = durations ?? { expire: 0 }
  // At once: clocks of other machines must not delay it.
  if (expire <= 0) return { stale, expired: Math.max(passed, mark), due: pending }
  // The earlier of two times holds for both: at worst an entry is gone too early.
  const at = Math.min(now + expire * 1000, pending?.at ?? Number.POSITIVE_INFINITY)
  return {
    stale: Math.max(stale, mark),
    expired: passed,
    due: at === Number.POSITIVE_INFINITY ? undefined : { mark: Math.max(mark, pending?.mark ?? 0), at },
  }
}

/** @param begunAt the mark that stood when the work on the entry began */
export function freshness(begunAt: number, tags: readonly (TagState | undefined)[], now: number): Freshness {
  const some = (markOf: (tag: TagState) => number) => tags.some((tag) => tag && begunAt < markOf(tag))
  if (some(({ expired, due }) => (due && due.at <= now ? Math.max(expired, due.mark) : expired)))
    return 'expired'
  return some(({ stale }) => stale) ? 'stale' : 'fresh'
}
