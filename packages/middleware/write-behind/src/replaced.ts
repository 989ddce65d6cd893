import { chainOf, type Queued } from './queued.ts'

/** Most changes of one key that are kept for the case that the store refuses what replaced them. */
const longest = 8

/**
 * Changes that newer ones of their keys replaced in the queue. They were acknowledged, so they are kept until the store has
 * taken the newer one, as far as so many bytes allow.
 */
export class Replaced {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Keep `older` and what it replaced as what `newer` replaced, the oldest of all. */
  keep(newer: Queued, older: Queued): void {
    const chain = [...chainOf(newer), ...chainOf(older)]
    this.release(newer)
    let last = newer
    for (const [i, one] of chain.slice(1).entries()) {
      last.before = undefined
      if (i >= longest || this.#bytes + one.bytes > this.#maxBytes) {
        forget(last, chain.slice(i + 1))
        return
      }
      this.#bytes += one.bytes
      last.before = one
      last = one
    }
  }

  /** Count what this one replaced. */
  hold(queued: Queued): void {
    for (const { bytes } of chainOf(queued.before)) this.#bytes += bytes
  }

  /** Count it no more. */
  release(queued: Queued): void {
    for (const { bytes } of chainOf(queued.before)) this.#bytes -= bytes
  }
}

/** These are replaced for good: callers that wait for them wait for the one that followed. */
function forget(follower: Queued, replaced: readonly Queued[]): void {
  for (const one of replaced) {
    for (const tell of one.told) follower.told.add(tell)
    one.told.clear()
    one.before = undefined
    one.follower = follower
  }
}
