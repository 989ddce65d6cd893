import type { CallOptions } from '@unikv/core'
import { Deadlines, leftMs, type Waiting } from '@unikv/core/adapter'
import type { Answer } from './answer.ts'

/** The load that a reader has joined did not land in time. */
export const late: unique symbol = Symbol('late')

/** Half of a short time is too little for a load. */
const leastHalfMs = 50

/** How long a caller waits for the load of another: its request may be lost, so half of the time is kept for a load of its own. */
export function joinMsOf(call: CallOptions, joinMs: number): number {
  const halfMs = leftMs(call) / 2
  return Math.min(joinMs, halfMs < leastHalfMs ? Number.POSITIVE_INFINITY : halfMs)
}

/** Answer of a load, or `late` after `ms` milliseconds. */
export function inTime(landing: Promise<Answer>, ms: number): Promise<Answer | typeof late> {
  return ms === Number.POSITIVE_INFINITY ? landing : new JoinWait(landing, Math.max(0, ms)).answer
}

/** All waits for loads of others: one timer, which does not count time in which the process did not run. */
const deadlines = new Deadlines<JoinWait>()

class JoinWait implements Waiting {
  readonly answer: Promise<Answer | typeof late>
  #resolve: (answer: Answer | typeof late) => void = () => {}
  expiresAt = 0
  place = -1

  constructor(landing: Promise<Answer>, ms: number) {
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve
    })
    deadlines.add(ms, this)
    // It never rejects.
    void landing.then((answer) => {
      deadlines.remove(this)
      this.#resolve(answer)
    })
  }

  expire(): void {
    this.#resolve(late)
  }
}
