/** An abort controller as polyfills have it: an `EventTarget` of its own, of no class that Node knows. */
export class ForeignController {
  readonly signal: AbortSignal = new ForeignSignal() as unknown as AbortSignal

  abort(reason?: unknown): void {
    ;(this.signal as unknown as ForeignSignal).end(reason)
  }
}

class ForeignSignal {
  aborted = false
  reason: unknown
  readonly #listeners = new Set<(event: object) => void>()

  /** Takes functions alone. */
  addEventListener(type: string, listener: (event: object) => void): void {
    if (type !== 'abort' || typeof listener !== 'function') throw new TypeError('not a listener')
    this.#listeners.add(listener)
  }

  removeEventListener(_type: string, listener: (event: object) => void): void {
    this.#listeners.delete(listener)
  }

  get listeners(): number {
    return this.#listeners.size
  }

  end(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    for (const listener of this.#listeners) listener({ type: 'abort', target: this })
  }
}
