import { type PolicyFactory, type Resident, Residents } from '@unikv/cache/policies'
import type { Trace } from './trace.ts'

/** The hits of a cache of one size. */
export interface HitRates {
  /** Part of the requests, 0 to 1. */
  readonly objects: number
  /** Part of the bytes, 0 to 1. */
  readonly bytes: number
}

/** Ask a cache of `capacity` bytes for all requests of a trace, one after the other; a miss is kept. */
export function replay({ keys, sizes }: Trace, capacity: number, policy: PolicyFactory): HitRates {
  const kept = new Residents({ maxEntries: Number.POSITIVE_INFINITY, maxBytes: capacity }, policy, () => {})
  const rates = new Rates()
  for (let i = 0; i < keys.length; i++) {
    const [key, bytes] = [keys[i] as string, sizes[i] as number]
    const isHit = kept.get(key) !== undefined
    rates.count(bytes, isHit)
    if (!isHit) kept.set(residentOf(key, bytes))
  }
  return rates
}

function residentOf(key: string, bytes: number): Resident {
  return { key, bytes, cost: 1, newer: undefined, older: undefined, uses: 0, place: 0, rank: 0 }
}

/** Counts hits. */
export class Rates implements HitRates {
  #requests = 0
  #hits = 0
  #bytes = 0
  #bytesHit = 0

  count(bytes: number, isHit: boolean): void {
    this.#requests++
    this.#bytes += bytes
    if (!isHit) return
    this.#hits++
    this.#bytesHit += bytes
  }

  get objects(): number {
    return this.#hits / this.#requests
  }

  get bytes(): number {
    return this.#bytesHit / this.#bytes
  }
}
