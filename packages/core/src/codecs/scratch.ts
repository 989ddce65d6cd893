/** Below it Node's own pool serves as well. */
const leastBits = 13
/** Above it too much memory would be kept. */
const mostBits = 18
/** Kept of each size: together 2 MiB at most. */
const mostKept = 4
const kept: Buffer[][] = Array.from({ length: mostBits + 1 }, () => [])

/**
 * Memory that a batch needs only until it is answered. Memory that is allocated outside of the
 * heap for each batch calls the collector of the whole heap, whose threads compete with everything else.
 */
export class Scratch {
  readonly #bits: number
  readonly #whole: Buffer
  #used = 0
  #isOver = false

  /** Room for so many bytes, with anything in them. */
  constructor(bytes: number) {
    const bits = 32 - Math.clz32(bytes - 1)
    this.#bits = bits >= leastBits && bits <= mostBits ? bits : -1
    this.#whole =
      this.#bits < 0 ? Buffer.allocUnsafe(bytes) : (kept[bits]?.pop() ?? Buffer.allocUnsafeSlow(2 ** bits))
  }

  /** The next bytes of the room. */
  take(bytes: number): Buffer {
    const start = this.#used
    this.#used += bytes
    return this.#whole.subarray(start, this.#used)
  }

  /** Gives the memory back. Call it only when nothing reads it any more, such as a driver that may yet send it. */
  release(): void {
    const free = kept[this.#bits]
    if (this.#isOver || free === undefined || free.length >= mostKept) return
    this.#isOver = true
    free.push(this.#whole)
  }
}
