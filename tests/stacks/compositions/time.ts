/** The clocks of a program: one that only goes on, and one on the wall that somebody may set. */
export class Time {
  #monotonic = 1_000_000
  #offset = 1_700_000_000_000
  /** The latest time that the clock on the wall has shown. */
  latest: number = this.wall

  /** Milliseconds by a clock that is never set. */
  readonly mono = (): number => this.#monotonic
  /** Milliseconds by the clock on the wall. */
  readonly clock = (): number => this.wall

  get wall(): number {
    return this.#monotonic + this.#offset
  }

  pass(ms: number): void {
    this.#monotonic += ms
    this.latest = Math.max(this.latest, this.wall)
  }

  /** Set the clock on the wall ahead or back. */
  set(byMs: number): void {
    this.#offset += byMs
    this.latest = Math.max(this.latest, this.wall)
  }
}
