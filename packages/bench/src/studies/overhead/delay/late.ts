import { clearTimeout, performance, setTimeout } from '@unikv/core/platform'

/** Passes chunks on in their order, each after a time. */
export class Late {
  readonly #delayMs: number
  readonly #pass: (chunk: Buffer) => void
  readonly #waiting: { readonly at: number; readonly chunk: Buffer }[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #whenEmpty: (() => void) | undefined

  constructor(delayMs: number, pass: (chunk: Buffer) => void) {
    this.#delayMs = delayMs
    this.#pass = pass
  }

  take(chunk: Buffer): void {
    this.#waiting.push({ at: performance.now() + this.#delayMs, chunk })
    this.#timer ??= setTimeout(() => this.#due(), this.#delayMs)
  }

  /** Call `then` when everything has been passed on. */
  end(then: () => void): void {
    this.#whenEmpty = then
    if (this.#waiting.length === 0) then()
  }

  /** Forget what is waiting. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting.length = 0
  }

  #due(): void {
    this.#timer = undefined
    for (
      let next = this.#waiting[0];
      next !== undefined && next.at <= performance.now();
      next = this.#waiting[0]
    ) {
      this.#waiting.shift()
      this.#pass(next.chunk)
    }
    const [next] = this.#waiting
    // A timer may be a little early.
    if (next !== undefined)
      this.#timer = setTimeout(() => this.#due(), Math.max(1, Math.ceil(next.at - performance.now())))
    else this.#whenEmpty?.()
  }
}
