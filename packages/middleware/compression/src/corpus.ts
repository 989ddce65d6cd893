import type { Bytes } from '@unikv/core'

/** Bytes of a substring that is counted: shorter ones are no gain over their own letters. */
export const wordBytes = 8

/** Words are told apart by 20 bits of a hash: a few that share a slot do no harm. */
export const slotCount = 1_048_576

/** The slot of positions where no word begins. */
const noSlot = 0

/** Samples one after the other, with the words that begin at each position, and in how many samples each is. */
export class Corpus {
  readonly bytes: Buffer
  /** By position: the slot of the word that begins there. */
  readonly slots: Uint32Array
  /** By slot: how many samples beside the first one have it. */
  readonly #frequencies: Uint32Array

  constructor(samples: readonly Bytes[]) {
    this.bytes = Buffer.concat(samples)
    this.slots = new Uint32Array(this.bytes.length).fill(noSlot)
    this.#frequencies = new Uint32Array(slotCount)
    const seen = new Uint32Array(slotCount)
    let start = 0
    samples.forEach(({ length }, i) => {
      this.#count(start, start + length, i + 1, seen)
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

  #count(start: number, end: number, sample: number, seen: Uint32Array): void {
    for (let at = start; at + wordBytes <= end; at++) {
      const slot = hash(this.bytes.readUInt32LE(at), this.bytes.readUInt32LE(at + 4))
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
