import type { Policy, Resident } from './policy.ts'
import { Queue } from './queue.ts'

/** Least recently used: evicts the entry whose last use is longest ago. */
export class Lru implements Policy {
  readonly #queue = new Queue()

  add(resident: Resident): void {
    this.#queue.push(resident)
  }

  use(resident: Resident): void {
    this.#queue.renew(resident)
  }

  remove(resident: Resident): void {
    this.#queue.remove(resident)
  }

  victim(): Resident {
    return this.#queue.oldest as Resident
  }

  hottest(): Iterable<Resident> {
    return this.#queue.newestFirst()
  }
}
