import { agingClock } from '@unikv/core/platform'
import type { FoundClaim } from './records.ts'

/** Claims of other relays, and how long each has been as it is: by the clock of this process alone. */
export class ClaimWatch {
  readonly #own: string
  readonly #leaseMs: number
  readonly #seen = new Map<number, { readonly version: string | null; readonly since: number }>()

  constructor(own: string, leaseMs: number) {
    this.#own = own
    this.#leaseMs = leaseMs
  }

  /** Whether a claim that was asked for at this time may be replaced: it is free, or was not renewed for the lease. */
  isFree(lane: number, { value, version }: FoundClaim, askedAt: number): boolean {
    // One of this relay that is not held: the answer to its write was lost.
    if (value.by === undefined || value.by === this.#own) return true
    const seen = this.#seen.get(lane)
    if (seen?.version === version) return askedAt - seen.since >= this.#leaseMs
    this.#seen.set(lane, { version, since: agingClock() })
    return false
  }
}
