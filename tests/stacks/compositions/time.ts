import { settled } from '@unikv/test-kit/schedules'
import { virtual } from './platform.ts'

/** The clocks of a program: one that only goes on, and one on the wall that somebody may set. */
export class Time {
  #offset = 1_700_000_000_000 - virtual.now
  /** The latest time that the clock on the wall has shown. */
  latest: number = this.wall
  /** How often the clock on the wall was set. */
  jumps = 0
  /** By how much it was set back in all, in milliseconds. */
  backMs = 0

  /** Milliseconds by a clock that is never set. */
  readonly mono = (): number => virtual.now
  /** Milliseconds by the clock on the wall. */
  readonly clock = (): number => this.wall

  get wall(): number {
    return virtual.now + this.#offset
  }

  /** Let time pass, and what is due happen in its order. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; ) {
      left -= virtual.next(left)
      this.latest = Math.max(this.latest, this.wall)
      await settled()
    }
  }

  /** Set the clock on the wall ahead or back. */
  set(byMs: number): void {
    this.#offset += byMs
    this.jumps++
    this.backMs += Math.max(0, -byMs)
    this.latest = Math.max(this.latest, this.wall)
  }
}
