import { wallClock } from '@unikv/core/platform'
import type { Look } from './options.ts'

/** So many of the latest looks are kept in memory. */
const mostLooks = 1_000

/** Records each look at a value that is stored encrypted. */
export class Looks {
  readonly #hear: (look: Look) => void
  readonly #latest: Look[] = []

  constructor(hear: ((look: Look) => void) | undefined) {
    this.#hear = hear ?? (() => {})
  }

  /** Record one, before the value is shown. */
  note(look: Omit<Look, 'at'>): void {
    const noted = { at: wallClock(), ...look }
    this.#latest.push(noted)
    if (this.#latest.length > mostLooks) this.#latest.shift()
    this.#hear(noted)
  }

  /** The latest ones, the newest first. */
  list(): readonly Look[] {
    return this.#latest.toReversed()
  }
}
