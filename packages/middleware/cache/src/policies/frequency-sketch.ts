import { mixed } from './key-hash.ts'

const rows = 4
/** The highest count. */
export const mostCount = 15
/** Counts are halved after so many uses for each place. */
const sampleFactor = 10
const fewest = 64

/**
 * How often a key was asked for lately, about: a count-min sketch (Cormode and Muthukrishnan, 2005) whose counts go to 15
 * and are halved from time to time (TinyLFU; Einziger, Friedman and Manes, 2017).
 */
export class FrequencySketch {
  #counts = new Uint8Array(rows * fewest)
  #width = fewest
  #added = 0

  /** Room for so many keys; what was counted is lost when there is not. */
  ensure(keys: number): void {
    if (keys <= this.#width) return
    while (this.#width < keys) this.#width *= 2
    this.#counts = new Uint8Array(rows * this.#width)
    this.#added = 0
  }

  /** Count a key, by its hash. */
  add(hash: number): void {
    let isAdded = false
    for (let row = 0, other = hash; row < rows; row++, other = mixed(other + row)) {
      const at = row * this.#width + (other & (this.#width - 1))
      const count = this.#counts[at] as number
      if (count === mostCount) continue
      this.#counts[at] = count + 1
      isAdded = true
    }
    if (isAdded && ++this.#added >= sampleFactor * this.#width) this.#halve()
  }

  /** How often since counts were halved, about; more if other keys share all its places. */
  of(hash: number): number {
    let least = mostCount
    for (let row = 0, other = hash; row < rows; row++, other = mixed(other + row)) {
      const count = this.#counts[row * this.#width + (other & (this.#width - 1))] as number
      if (count < least) least = count
    }
    return least
  }

  #halve(): void {
    for (let at = 0; at < this.#counts.length; at++) this.#counts[at] = (this.#counts[at] as number) >> 1
    this.#added >>= 1
  }
}
