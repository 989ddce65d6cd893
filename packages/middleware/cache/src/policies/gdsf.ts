import type { Policy, Resident } from './policy.ts'

/**
 * Greedy-dual-size with frequency (Cherkasova, HP Labs 1998, after Cao and Irani, 1997): the entry worth least makes room,
 * by uses × cost / bytes, above what the last one to go was worth.
 */
export class Gdsf implements Policy {
  /** A binary heap: none is worth less than the first. */
  readonly #heap: Resident[] = []
  /** The worth of the last evicted entry. */
  #floor = 0

  add(resident: Resident): void {
    resident.uses = 1
    resident.rank = this.#worth(resident)
    this.#heap.push(resident)
    this.#up(resident, this.#heap.length - 1)
  }

  use(resident: Resident): void {
    resident.uses++
    resident.rank = this.#worth(resident)
    this.#down(resident, resident.place)
  }

  remove(resident: Resident): void {
    const { place } = resident
    const last = this.#heap.pop() as Resident
    if (last === resident) return
    this.#up(last, place)
    this.#down(last, last.place)
  }

  victim(): Resident {
    const [least] = this.#heap as [Resident]
    this.#floor = least.rank
    return least
  }

  hottest(): Iterable<Resident> {
    return this.#heap.toSorted((a, b) => b.rank - a.rank)
  }

  #worth({ uses, cost, bytes }: Resident): number {
    return this.#floor + (uses * cost) / bytes
  }

  #up(resident: Resident, from: number): void {
    let at = from
    while (at > 0) {
      const above = (at - 1) >> 1
      const other = this.#heap[above] as Resident
      if (other.rank <= resident.rank) break
      this.#put(other, at)
      at = above
    }
    this.#put(resident, at)
  }

  #down(resident: Resident, from: number): void {
    let at = from
    for (;;) {
      const below = this.#lesserBelow(at)
      if (below === undefined || below.rank >= resident.rank) break
      const next = below.place
      this.#put(below, at)
      at = next
    }
    this.#put(resident, at)
  }

  #lesserBelow(at: number): Resident | undefined {
    const left = this.#heap[2 * at + 1]
    const right = this.#heap[2 * at + 2]
    return right !== undefined && right.rank < (left as Resident).rank ? right : left
  }

  #put(resident: Resident, at: number): void {
    this.#heap[at] = resident
    resident.place = at
  }
}
