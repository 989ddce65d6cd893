/** Most tags whose invalidations are remembered one by one. */
const maxRemembered = 10_000

/** Numbers loads and invalidations in one order. */
export interface Order {
  /** The number of one more. */
  arrive(): number
  /** How many have come by now. */
  readonly arrivals: number
}

/**
 * When tags were last invalidated, as numbers of one order with the loads: no clock is asked. Forgetting a tag raises a
 * floor: any entry with a tag that is older is void.
 */
export class TagTable {
  readonly #order: Order
  /** Those invalidated longest ago first. */
  readonly #invalidated = new Map<string, number>()
  #floor = 0
  #last = 0

  constructor(order: Order) {
    this.#order = order
  }

  /** Number for a load that begins now. */
  get now(): number {
    return this.#order.arrivals
  }

  /** The number of the last invalidation. */
  get last(): number {
    return this.#last
  }

  /** How many tags are remembered. */
  get size(): number {
    return this.#invalidated.size
  }

  /** From now on, entries loaded with one of these tags are void. */
  invalidate(tags: Iterable<string>): void {
    const at = this.#order.arrive()
    for (const tag of tags) {
      this.#invalidated.delete(tag)
      this.#invalidated.set(tag, at)
    }
    this.#last = at
    for (const [tag, oldest] of this.#invalidated) {
      if (this.#invalidated.size <= maxRemembered) break
      this.#invalidated.delete(tag)
      this.#floor = oldest
    }
  }

  /** Whether what has these tags, and was good at `since`, is void now. */
  isVoid(tags: readonly string[], since: number): boolean {
    return since < this.#last && tags.some((tag) => (this.#invalidated.get(tag) ?? this.#floor) > since)
  }
}
