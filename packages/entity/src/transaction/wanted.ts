import type { OutsideEntry } from '../outside/outside-index.ts'

/**
 * Things of other groups that an attempt needs: numbers of counters and entries of indexes. They are got at once, unless the open transaction
 * holds something that others wait for: then they are noted, and the attempt is given up.
 */
export class Wanted {
  readonly counters: string[] = []
  readonly missing: OutsideEntry[] = []
  readonly #isNoted: boolean

  constructor(isNoted: boolean) {
    this.#isNoted = isNoted
  }

  get isEmpty(): boolean {
    return this.counters.length === 0 && this.missing.length === 0
  }

  /** A number of this counter, by `take`. */
  async number(counter: string, take: () => Promise<number>): Promise<number> {
    if (!this.#isNoted) return take()
    this.counters.push(counter)
    throw again()
  }

  /** Entries that will be needed: known early, they cost no read. */
  ahead(entries: readonly OutsideEntry[]): void {
    if (!this.#isNoted || entries.length === 0) return
    this.missing.push(...entries)
    throw again()
  }

  /** Add entries, by `add`. */
  async entries(
    entries: readonly OutsideEntry[],
    add: (entries: readonly OutsideEntry[]) => Promise<void>,
  ): Promise<void> {
    if (this.#isNoted) this.missing.push(...entries)
    else await add(entries)
  }
}

/** It reaches the function of the application, whose outcome no longer counts. */
function again(): Error {
  return new Error('The transaction is run again, with something from outside of its group that it needs.')
}
