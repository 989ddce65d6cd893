import type { Mutation, ScanRange } from '../contract/store.ts'

/** Records to look at for a write that sets an expiry, and for any other. */
const looks = { expiring: 4, other: 0.25 }
/** Fewer are not worth a look. */
const fewest = 256
/** More at once would hold up others. */
const most = 4_096

/**
 * When a store that does not know its expired records by an index looks at its next records, round after round, so that
 * they do not fill it: four records for each write that sets an expiry, so there are at most about a third more records
 * than live ones.
 */
export class SweepRounds {
  /** Where the round goes on; a look leaves here where it ended. */
  resume: string | undefined
  #due = 0

  /** Count mutations. Whether it is time to look. */
  isDue(mutations: readonly Mutation<unknown>[]): boolean {
    for (const mutation of mutations) {
      const expires = mutation.type !== 'delete' && typeof mutation.expiresAt === 'number'
      this.#due += expires ? looks.expiring : looks.other
    }
    return this.#due >= fewest
  }

  /** The records to look at now. */
  next(): ScanRange {
    const pageSize = Math.min(most, Math.max(fewest, Math.ceil(this.#due)))
    this.#due = 0
    return { prefix: '', pageSize, values: false, resume: this.resume }
  }
}
