import { lostMs } from './heartbeat.ts'
import { clearTimeout, setImmediate, setTimeout } from './timers.ts'

/**
 * Runs a function after a silence of so many milliseconds, unless ended before. Time in which the event loop was blocked
 * counts next to nothing, and what has arrived meanwhile is read first: it may be the answer. Keeps a process alive
 * unless `unref` is called.
 */
export class Silence {
  readonly #ms: number
  readonly #run: () => void
  #timer: NodeJS.Timeout
  #lostBefore: number = lostMs()
  #isOver = false
  #holds = true

  constructor(ms: number, run: () => void) {
    this.#ms = ms
    this.#run = run
    this.#timer = this.#wait(ms)
  }

  /** Lets the process end meanwhile. */
  unref(): this {
    this.#holds = false
    this.#timer.unref()
    return this
  }

  /** There was an answer, or none is awaited any more. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #wait(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => this.#due(), ms)
    return this.#holds ? timer : timer.unref()
  }

  #due(): void {
    const lost = lostMs() - this.#lostBefore
    this.#lostBefore += lost
    if (lost >= 1) this.#timer = this.#wait(Math.min(lost, this.#ms))
    else setImmediate(() => this.#expire())
  }

  #expire(): void {
    if (!this.#isOver) this.#run()
  }
}
