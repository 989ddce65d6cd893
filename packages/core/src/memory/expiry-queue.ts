/** A key and when it expires. */
interface Expiring {
  readonly key: string
  readonly expiresAt: number
}

/** Fewer than this many are not worth a look whether most of them are out of date. */
const fewExpiring = 64

/**
 * Keys by when they expire: a heap, the earliest on top. A key that gets another expiry is added again; the caller, which
 * has the record, knows which of its entries counts.
 */
export class ExpiryQueue {
  #heap: Expiring[] = []

  get isEmpty(): boolean {
    return this.#heap.length === 0
  }

  /** Add a key. `isCurrent` tells, now and then, which places still count. */
  add(key: string, expiresAt: number, live: number, isCurrent: (one: Expiring) => boolean): void {
    if (this.#heap.length >= fewExpiring + 2 * live) this.#heap = this.#heap.filter(isCurrent).sort(byExpiry)
    this.#heap.push({ key, expiresAt })
    this.#up(this.#heap.length - 1)
  }

  /** Take the earliest key out, if its time has come. */
  due(now: number): Expiring | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.expiresAt > now) return undefined
    const last = this.#heap.pop() as Expiring
    if (this.#heap.length > 0) {
      this.#heap[0] = last
      this.#down(0)
    }
    return first
  }

  #up(place: number): void {
    for (let at = place; at > 0; ) {
      const above = (at - 1) >> 1
      if (this.#at(above) <= this.#at(at)) return
      this.#swap(at, above)
      at = above
    }
  }

  #down(place: number): void {
    for (let at = place; ; ) {
      const left = 2 * at + 1
      const least = this.#at(left + 1) < this.#at(left) ? left + 1 : left
      if (this.#at(at) <= this.#at(least)) return
      this.#swap(at, least)
      at = least
    }
  }

  /** When the key at this place expires: never, if there is none. */
  #at(place: number): number {
    return this.#heap[place]?.expiresAt ?? Number.POSITIVE_INFINITY
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap
    const one = heap[a] as Expiring
    heap[a] = heap[b] as Expiring
    heap[b] = one
  }
}

function byExpiry(a: Expiring, b: Expiring): number {
  return a.expiresAt - b.expiresAt
}
