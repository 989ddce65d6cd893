import { lostMs, performance, setImmediate } from '@unikv/core/platform'

/** Counts the turns of the event loop while somebody asks. */
export class LoopTurns {
  /** The present turn. */
  now = 0
  #isAsked = false

  /** The present turn; when it is over, `now` is another one. */
  note(): number {
    if (!this.#isAsked) setImmediate(() => this.#next())
    this.#isAsked = true
    return this.now
  }

  #next(): void {
    this.now++
    this.#isAsked = false
  }
}

/** The time of one call, and how much of it the process did not run. */
export class CallTime {
  readonly #turns: LoopTurns
  readonly #turn: number
  readonly #lostBefore: number = lostMs()
  readonly #startedAt: number = performance.now()

  constructor(turns: LoopTurns) {
    this.#turns = turns
    this.#turn = turns.note()
  }

  /** Milliseconds so far in which the process ran. */
  get ranMs(): number {
    return performance.now() - this.#startedAt - this.lostMs
  }

  /** Milliseconds so far in which it did not. */
  get lostMs(): number {
    return lostMs() - this.#lostBefore
  }

  /** Whether the process ran for at least half of it, so that a silence may be that of the store. */
  get hasRun(): boolean {
    return this.lostMs <= this.ranMs
  }

  /** Whether the store could have answered: the event loop has not looked since the call was sent. */
  get isInItsTurn(): boolean {
    return this.#turns.now === this.#turn
  }
}
