/** Statistics of the layer in one stack since its start. */
export interface DeltaStats {
  /** Name of the store below. */
  readonly store: string
  /** Values that were written as a delta behind others, as a new base, and whole. */
  readonly deltas: number
  /** Values that were sent as a delta which the server applied. */
  readonly sent: number
  readonly bases: number
  readonly wholes: number
  /** Bytes of all values that were written, and of the records that were written for them. The difference was saved. */
  readonly valueBytes: number
  readonly writtenBytes: number
  /** Values that were read from a chain, and of them those for which no part had to be fetched. */
  readonly chainsRead: number
  readonly chainsKnown: number
  /** Values that were in memory when the store said that they are the present ones. */
  readonly unchanged: number
  /** Heads that another writer had replaced before a delta came. */
  readonly conflicts: number
  /** Reads that began anew, because parts went while they were fetched. */
  readonly overtaken: number
  /** Old parts that were removed, and those that could not be: they are left to `sweepDeltas`. */
  readonly partsRemoved: number
  readonly partsLeft: number
  /** Bytes of known values in memory. */
  readonly memoryBytes: number
}

/** Counted as it happens. */
export type Counts = { -readonly [K in Exclude<keyof DeltaStats, 'store' | 'memoryBytes'>]: number }

/** All at nothing. */
export function newCounts(): Counts {
  return {
    deltas: 0,
    sent: 0,
    bases: 0,
    wholes: 0,
    valueBytes: 0,
    writtenBytes: 0,
    chainsRead: 0,
    chainsKnown: 0,
    unchanged: 0,
    conflicts: 0,
    overtaken: 0,
    partsRemoved: 0,
    partsLeft: 0,
  }
}
