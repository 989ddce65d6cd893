/** Tells the line of a position in a text. */
export class Lines {
  /** Where each line starts. */
  readonly #starts: readonly number[]

  constructor(text: string) {
    this.#starts = [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ index, 0: end }) => index + end.length)]
  }

  /** Number of the line that holds a position, from 1. */
  at(position: number): number {
    let [low, high] = [0, this.#starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] as number) <= position) low = middle
      else high = middle
    }
    return low + 1
  }
}
