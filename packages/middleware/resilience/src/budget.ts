/**
 * A share of calls, as a bucket of tokens: every call earns a part of one, every extra request costs one. However the
 * store fails, extra requests stay below `share` of the calls, plus what may come at once.
 */
export class Budget {
  readonly #share: number
  readonly #most: number
  #tokens: number

  /** `burst`: extra requests that may come before any was earned. */
  constructor(share: number, burst: number) {
    this.#share = share
    this.#most = Math.max(burst, 1)
    this.#tokens = burst
  }

  /** A call has come. */
  earn(): void {
    this.#tokens = Math.min(this.#most, this.#tokens + this.#share)
  }

  /** Whether an extra request may go out; if so it is paid. */
  spend(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
