/** Figures of a write-behind since it was made, over all stacks that it is in. */
export interface WriteBehindStats {
  /** Keys in the queue now, those on their way to the store too. */
  readonly queued: number
  /** Bytes of these. */
  readonly queuedBytes: number
  /** Keys of which a write to the journal, or a removal, ended without an outcome and may still come late. */
  readonly inDoubt: number
  /** Writes that were taken into the queue. */
  readonly accepted: number
  /** Those that a later write of the same key replaced before they were in the store. */
  readonly coalesced: number
  /** Those that the store has. */
  readonly written: number
  /** Calls to the store. */
  readonly batches: number
  /** Attempts of single writes that failed and are made again. */
  readonly retries: number
  /** Acknowledged writes that the store refused for good, or that `close` could not bring to it and no journal has. */
  readonly lost: number
  /** Writes that waited for room, or were refused for want of it. */
  readonly delayed: number
  /** Acknowledged writes of an earlier process that were found in the journal. */
  readonly replayed: number
  /** Records of the journal that could not be read. They are left where they are. */
  readonly refused: number
  /** Acknowledged writes that were in the journal alone when the stack was closed. */
  readonly leftInJournal: number
}

/** The figures of this moment, of all queues. */
export type Sizes = Pick<WriteBehindStats, 'queued' | 'queuedBytes' | 'inDoubt'>

/** The same, as it counts; the figures of this moment are known elsewhere. */
export type Counters = { -readonly [K in Exclude<keyof WriteBehindStats, keyof Sizes>]: number }

export function newCounters(): Counters {
  return {
    accepted: 0,
    coalesced: 0,
    written: 0,
    batches: 0,
    retries: 0,
    lost: 0,
    delayed: 0,
    replayed: 0,
    refused: 0,
    leftInJournal: 0,
  }
}
