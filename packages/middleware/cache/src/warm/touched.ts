/** More keys are not remembered one by one. */
const mostKeys = 100_000

/** Keys of which something was heard since a moment: what was saved earlier says nothing of them any more. */
export class Touched {
  readonly #keys = new Set<string>()
  #isAll = false

  add(key: string): void {
    if (this.#isAll) return
    if (this.#keys.size < mostKeys) this.#keys.add(key)
    else this.addAll()
  }

  /** From now on it has every key. */
  addAll(): void {
    this.#isAll = true
    this.#keys.clear()
  }

  has(key: string): boolean {
    return this.#isAll || this.#keys.has(key)
  }

  /** Whether it has every key. */
  get isAll(): boolean {
    return this.#isAll
  }
}
