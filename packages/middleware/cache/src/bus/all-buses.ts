import type { BusStats } from './bus-link.ts'

/** A part that a cache takes in a bus, as far as its figures go. */
interface Part {
  readonly busStats: BusStats | undefined
}

const none: BusStats = {
  trusted: true,
  confirmedMsAgo: Number.NEGATIVE_INFINITY,
  worstStaleMs: 0,
  worstEchoMs: 0,
  invalidations: 0,
  voids: 0,
  untold: 0,
  joinFailures: 0,
}

/** The figures of all stacks that one layer is in, and was in. */
export class AllBuses {
  #left = none

  /** This stack is closed: what it has counted stays. */
  leave(part: Part): void {
    this.#left = added(this.#left, part.busStats)
  }

  /** Trust is that of the stacks that are open: of all of them, or it is none. */
  stats(open: Iterable<Part>): BusStats {
    const parts = Array.from(open)
    const { trusted, confirmedMsAgo } = parts.reduce((sum, part) => added(sum, part.busStats), none)
    const isOpen = parts.length > 0
    return {
      ...parts.reduce((sum, part) => added(sum, part.busStats), this.#left),
      trusted: isOpen && trusted,
      confirmedMsAgo: isOpen ? confirmedMsAgo : Number.POSITIVE_INFINITY,
    }
  }
}

function added(one: BusStats, other: BusStats = none): BusStats {
  return {
    trusted: one.trusted && other.trusted,
    confirmedMsAgo: Math.max(one.confirmedMsAgo, other.confirmedMsAgo),
    worstStaleMs: Math.max(one.worstStaleMs, other.worstStaleMs),
    worstEchoMs: Math.max(one.worstEchoMs, other.worstEchoMs),
    invalidations: one.invalidations + other.invalidations,
    voids: one.voids + other.voids,
    untold: one.untold + other.untold,
    joinFailures: one.joinFailures + other.joinFailures,
  }
}
