import type { Bytes } from '@unikv/core'

/** Bytes of a substring that is counted: shorter ones save nothing over their own letters. */
export const wordBytes = 8

/** Words are found by 20 bits of a hash. If two share a slot only the first one counts. */
export const slotCount = 1_048_576

/** The slot of positions where no word begins that counts. */
const noSlot = 0

/** Samples one after the other, with the words that begin at each position, and in how many samples each is. */
export class Corpus {
  readonly bytes: Buffer
  /** For each position: the slot of the word that begins there. */
  readonly slots: Uint32Array
  /** For each slot: how many samples beside the first one have it. */
  readonly #frequencies: Uint32Array

  constructor(samples: readonly Bytes[]) {
    this.bytes = Buffer.concat(samples)
    this.slots = new Uint32Array(this.bytes.length).fill(noSlot)
    this.#frequencies = new Uint32Array(slotCount)
    const first = new Uint32Array(slotCount)
    const seen = new Uint32Array(slotCount)
    let start = 0
    samples.forEach(({ length }, i) => {
      this.#count(start, start + length, i + 1, first, seen)
      start += length
    })
    for (let slot = 0; slot < slotCount; slot++)
      this.#frequencies[slot] = Math.max(0, (this.#frequencies[slot] as number) - 1)
    this.#frequencies[noSlot] = 0
  }

  /** A copy, for one selection, that takes away what it has. */
  frequencies(): Uint32Array {
    return this.#frequencies.slice()
  }

  /** `first` is where the word of a slot was seen first, `seen` in which sample it was seen last. */
  #count(start: number, end: number, sample: number, first: Uint32Array, seen: Uint32Array): void {
    for (let at = start; at + wordBytes <= end; at++) {
      const low = this.bytes.readUInt32LE(at)
      const high = this.bytes.readUInt32LE(at + 4)
      const slot = hash(low, high)
      if (seen[slot] === 0) first[slot] = at
      const same = first[slot] as number
      if (this.bytes.readUInt32LE(same) !== low || this.bytes.readUInt32LE(same + 4) !== high) continue
      this.slots[at] = slot
      if (seen[slot] === sample) continue
      seen[slot] = sample
      this.#frequencies[slot] = (this.#frequencies[slot] as number) + 1
    }
  }
}

function hash(low: number, high: number): number {
  let mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca77)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae3d)
  return (mixed ^ (mixed >>> 13)) & (slotCount - 1)
}
