import { hottestFirst } from './hottest-first.ts'
import type { Policy, Resident } from './policy.ts'
import { Queue } from './queue.ts'

/**
 * SIEVE (Zhang, Yang, Yue, Vigfusson and Rashmi, NSDI 2024): a queue in which nothing moves, and a hand that goes from the
 * oldest to the newest, spares each entry used since it last passed once, and evicts the first entry that was not.
 */
export class Sieve implements Policy {
  readonly #queue = new Queue()
  /** Where the hand goes on; from the oldest without it. */
  #hand: Resident | undefined

  add(resident: Resident): void {
    resident.uses = 0
    this.#queue.push(resident)
  }

  use(resident: Resident): void {
    resident.uses = 1
  }

  remove(resident: Resident): void {
    if (this.#hand === resident) this.#hand = resident.newer
    this.#queue.remove(resident)
  }

  victim(): Resident {
    let one = (this.#hand ?? this.#queue.oldest) as Resident
    while (one.uses > 0) {
      one.uses = 0
      one = one.newer ?? (this.#queue.oldest as Resident)
    }
    this.#hand = one
    return one
  }

  hottest(): Iterable<Resident> {
    return hottestFirst(this.#queue.newestFirst(), ({ uses }) => uses, 1)
  }
}
