import type { Entry } from '@unikv/core'
import type { Resident } from '../policies/policy.ts'

/** Weight of an entry for limits and policy. */
export interface Weight {
  /** As accounted for. */
  readonly bytes: number
  /** Cost of getting it, in the unit of the cache. */
  readonly cost: number
}

/** An epoch in which no bus vouches for what was loaded. */
export const untrusted = -1

/** In place of an epoch: it ends by the default monotonic clock, and by nothing else. */
export const timed = -2

/** How long an entry is good. */
export interface Life {
  /** Monotonic, in milliseconds. */
  readonly freshUntil: number
  /** Epoch of the bus in which it was loaded, if there is a bus. */
  readonly epoch?: number | undefined
  /** Whether its clock is the default one. */
  readonly isTimed?: boolean | undefined
}

/** Entry of a cache in this process. */
export class CachedEntry implements Resident {
  readonly key: string
  /** As it is handed out; `undefined`: known to be absent. */
  readonly entry: Entry<unknown> | undefined
  /** Makes the value of one reader; without it all get the same. */
  readonly copy: ((value: unknown) => unknown) | undefined
  /** As accounted for. */
  readonly bytes: number
  /** Cost of getting it, in the unit of the cache. */
  readonly cost: number
  /** Monotonic, in milliseconds. */
  readonly freshUntil: number
  /**
   * 0: it never ends, and a hit asks nothing. `timed`: a hit looks at one clock. Otherwise at all, and it was loaded in this
   * epoch of the bus.
   */
  readonly epoch: number

  // Fields of the policy.
  newer: Resident | undefined = undefined
  older: Resident | undefined = undefined
  uses = 0
  place = 0
  rank = 0

  /** Monotonic time of the last hit, in caches where unread entries end. */
  usedAt = 0

  constructor(
    key: string,
    entry: Entry<unknown> | undefined,
    copy: ((value: unknown) => unknown) | undefined,
    { bytes, cost }: Weight,
    { freshUntil, epoch = 0, isTimed }: Life,
  ) {
    this.key = key
    this.entry = entry
    this.copy = copy
    this.bytes = bytes
    this.cost = cost
    this.freshUntil = freshUntil
    this.epoch = epoch === 0 ? endOf(freshUntil, entry, isTimed === true) : epoch
  }

  /** Tags by which it may be invalidated together with others. */
  get tags(): readonly string[] | undefined {
    return undefined
  }

  /** Whether one of its tags was invalidated since it was loaded. */
  get isVoid(): boolean {
    return false
  }
}

/** Entry of a cache that renews ahead. */
export class MeasuredEntry extends CachedEntry {
  /** Duration of its load in milliseconds; 0: not known. */
  loadMs = 0
}

/** In the place of an entry whose value could not be copied: as good as none. */
export const uncopied: unique symbol = Symbol('uncopied')

/** The entry for one reader; `uncopied` where a `share` function of the application failed. */
export function entryOf({ entry, copy }: CachedEntry): Entry<unknown> | undefined | typeof uncopied {
  return entry === undefined || copy === undefined ? entry : copyFor(entry, copy)
}

function copyFor(entry: Entry<unknown>, copy: (value: unknown) => unknown): Entry<unknown> | typeof uncopied {
  try {
    return { ...entry, value: copy(entry.value) }
  } catch {
    return uncopied
  }
}

function endOf(freshUntil: number, entry: Entry<unknown> | undefined, isTimed: boolean): number {
  // A hit of an absent one, which has no `meta`, must be noted.
  if (entry === undefined || entry.expiresAt !== undefined) return untrusted
  if (freshUntil === Number.POSITIVE_INFINITY) return 0
  return isTimed ? timed : untrusted
}
