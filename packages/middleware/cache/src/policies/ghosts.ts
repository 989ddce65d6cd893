import { keyHash } from './key-hash.ts'

const ways = 4
const fewest = 64

/**
 * Keys that went lately, as hashes of 32 bits in tables of 12 bytes a place. It may take one key for another (one in a
 * thousand million times the number that is kept), and forgets some a little early.
 */
export class Ghosts {
  readonly #share: number
  #hashes = new Uint32Array(fewest)
  /** Amount evicted in all when each key was added. */
  #stamps = new Float64Array(fewest)
  /** Amount evicted in all, as a share of the cache. */
  #gone = 0

  /** It remembers what went since so large a part of the cache has gone. */
  constructor(share: number) {
    this.#share = share
  }

  /** Remember a key whose entry took `part` of the cache, which has `entries` now. */
  add(key: string, part: number, entries: number): void {
    this.#gone += part
    const hash = keyHash(key)
    const isPushed = this.#put(hash, this.#gone)
    if (isPushed && this.#hashes.length < entries) this.#grow()
  }

  /** Whether a key is remembered; it is forgotten then. */
  take(key: string): boolean {
    const at = this.#find(keyHash(key))
    if (at === -1) return false
    this.#hashes[at] = 0
    return this.#isRemembered(at)
  }

  /** Whether one that is still remembered had to go. */
  #put(hash: number, stamp: number): boolean {
    const found = this.#find(hash)
    const at = found === -1 ? this.#placeFor(hash) : found
    const isPushed = found === -1 && this.#hashes[at] !== 0 && this.#isRemembered(at)
    this.#hashes[at] = hash
    this.#stamps[at] = stamp
    return isPushed
  }

  #isRemembered(at: number): boolean {
    return this.#gone - (this.#stamps[at] as number) < this.#share
  }

  #find(hash: number): number {
    const first = this.#bucketOf(hash)
    for (let at = first; at < first + ways; at++) if (this.#hashes[at] === hash) return at
    return -1
  }

  /** A free one, or the oldest. */
  #placeFor(hash: number): number {
    const first = this.#bucketOf(hash)
    let oldest = first
    for (let at = first; at < first + ways; at++) {
      if (this.#hashes[at] === 0) return at
      if ((this.#stamps[at] as number) < (this.#stamps[oldest] as number)) oldest = at
    }
    return oldest
  }

  #bucketOf(hash: number): number {
    return (hash & (this.#hashes.length / ways - 1)) * ways
  }

  #grow(): void {
    const [hashes, stamps] = [this.#hashes, this.#stamps]
    this.#hashes = new Uint32Array(hashes.length * 2)
    this.#stamps = new Float64Array(hashes.length * 2)
    for (const [i, hash] of hashes.entries()) if (hash !== 0) this.#put(hash, stamps[i] as number)
  }
}
