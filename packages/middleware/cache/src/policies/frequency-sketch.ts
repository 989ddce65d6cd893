/** The highest count. */
export const mostCount = 15
/** Counts are halved after so many uses for each entry of a full cache. */
const sampleFactor = 10
const rows = 4
/** Words of a row in a block: 32 counters, eight to a word. A block has the size of a cache line. */
const rowWords = 4
const blockWords = rows * rowWords
/** Entries for each block: four counters an entry and row, 8 bytes in all. */
const blockEntries = 8
const fewestBlocks = 32

/**
 * How often a key was asked for lately, about: a count-min sketch (Cormode and Muthukrishnan, 2005) whose counts of four
 * bits are halved from time to time (TinyLFU; Einziger, Friedman and Manes, 2017). The four counters of a key lie in one
 * block.
 */
export class FrequencySketch {
  #words = new Uint32Array(blockWords * fewestBlocks)
  #added = 0

  /** Make room for so many keys. Counts are kept: a block and its copy go on apart. */
  ensure(keys: number): void {
    while ((this.#words.length / blockWords) * blockEntries < keys) {
      const old = this.#words
      this.#words = new Uint32Array(old.length * 2)
      this.#words.set(old)
      this.#words.set(old, old.length)
    }
  }

  /** Count a key, by its hash, in a cache that has so many entries when it is full. */
  add(hash: number, capacity: number): void {
    let at = this.#blockOf(hash)
    let isAdded = false
    for (let row = 0, places = placesOf(hash); row < rows; row++, at += rowWords, places >>>= 8) {
      const word = at + ((places >>> 3) & (rowWords - 1))
      const shift = (places & 7) * 4
      if ((((this.#words[word] as number) >>> shift) & mostCount) === mostCount) continue
      this.#words[word] = (this.#words[word] as number) + (1 << shift)
      isAdded = true
    }
    if (isAdded && ++this.#added >= sampleFactor * capacity) this.#halve()
  }

  /** How often since counts were halved, about; more if other keys share all its places. */
  of(hash: number): number {
    let at = this.#blockOf(hash)
    let least = mostCount
    for (let row = 0, places = placesOf(hash); row < rows; row++, at += rowWords, places >>>= 8) {
      const word = this.#words[at + ((places >>> 3) & (rowWords - 1))] as number
      const count = (word >>> ((places & 7) * 4)) & mostCount
      if (count < least) least = count
    }
    return least
  }

  #blockOf(hash: number): number {
    return (hash & (this.#words.length / blockWords - 1)) * blockWords
  }

  #halve(): void {
    const words = this.#words
    for (let at = 0; at < words.length; at++) words[at] = ((words[at] as number) >>> 1) & 0x77777777
    this.#added >>= 1
  }
}

/** Another mix of the hash: eight bits for the place in each row. */
function placesOf(hash: number): number {
  const mix = Math.imul(hash, 0x31848bab)
  return mix ^ (mix >>> 14)
}
