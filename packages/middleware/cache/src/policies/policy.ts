/**
 * An entry, as a replacement policy sees it. The writable fields are for its own notes: no other code looks
 * at them while the entry is here.
 */
export interface Resident {
  readonly key: string
  /** As accounted for; 1 or more. */
  readonly bytes: number
  /** The cost of loading it again, in the unit of the option `cost`; above 0. */
  readonly cost: number
  /** Towards those that came later, in a list of the policy. */
  newer: Resident | undefined
  /** Towards those that came earlier. */
  older: Resident | undefined
  /** How often it was used, as far as the policy counts. */
  uses: number
  /** Where it is. */
  place: number
  /** An order, or a hash of the key. */
  rank: number
}

/** The limits of a cache; `Infinity` is allowed for either. */
export interface Bounds {
  readonly maxEntries: number
  readonly maxBytes: number
}

/**
 * Decides who makes room. The cache keeps count of entries and bytes; before an entry comes it asks for victims, until
 * there is room for it. An error of one of these is as if it had not been asked.
 */
export interface Policy {
  /** An entry has come. */
  add(resident: Resident): void
  /** An entry was answered from. */
  use(resident: Resident): void
  /** An entry has gone, for any reason: also after `victim` chose it. */
  remove(resident: Resident): void
  /** One of those that are here, of whom there is at least one; it goes now. */
  victim(): Resident
  /**
   * All entries, roughly from the last to be evicted to the first. A save for a restart takes the first part
   * of it; without this, who came last.
   */
  hottest?(): Iterable<Resident>
}

/** Makes the policy of one cache. */
export type PolicyFactory = (bounds: Bounds) => Policy
