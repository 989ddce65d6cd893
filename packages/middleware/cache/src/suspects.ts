import { performance } from '@unikv/core/platform'

/** Most keys that are remembered one by one. */
const maxSuspects = 10_000

/**
 * Keys whose records could not be invalidated. They are not read again until that is known to be done. If there are
 * too many, nothing is read until all that was fresh has ceased to be.
 */
export class Suspects {
  readonly #keys = new Set<string>()
  readonly #freshForMs: number
  #blindUntil = 0

  constructor(freshForMs: number) {
    this.#freshForMs = freshForMs
  }

  /** Whether nothing may be read now. */
  get isBlind(): boolean {
    return this.#blindUntil > performance.now()
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  add(key: string): void {
    if (this.#keys.size >= maxSuspects) {
      this.#blindUntil = performance.now() + this.#freshForMs
      this.#keys.clear()
    }
    this.#keys.add(key)
  }

  delete(key: string): void {
    this.#keys.delete(key)
  }
}
