import type { CallOptions } from '@unikv/core'
import { performance } from '@unikv/core/platform'

/**
 * The driver sees that a connection is dead by requests without an answer within their `readTimeout`, and replaces
 * it. A timer for each of many requests costs a thirtieth of all that is done for them, and few tell the same: the first
 * ones of each moment have one, to any node.
 */
export class ReadTimers {
  #momentEndsAt = 0
  #left = 0
  readonly #clock: () => number

  /** @param clock Monotonic, in milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  /** `readTimeout` of one more request of this call, in milliseconds: later than its deadline, so that it ends no call; 0: no timer. */
  next({ deadlineAt }: CallOptions): number {
    const now = this.#clock()
    if (now >= this.#momentEndsAt) {
      this.#momentEndsAt = now + momentMs
      this.#left = timersAMoment
    }
    if (this.#left === 0) return 0
    this.#left--
    const leftMs = deadlineAt - now
    return leftMs < maxTimerMs ? Math.ceil(leftMs / 1_000) * 1_000 + 1_000 : 0
  }
}

const momentMs = 10
/** With 16 requests to three nodes each node has two or more, 98 times of 100. */
const timersAMoment = 16

/** Longest time that a timer of Node takes, less what is added. */
const maxTimerMs = 2 ** 31 - 2_001
