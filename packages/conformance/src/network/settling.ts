import assert from 'node:assert/strict'

/** How late calls may end, in milliseconds: half of them, and the latest one. */
export interface Lateness {
  readonly medianMs: number
  readonly latestMs: number
}

/** For long proofs on an idle machine. The latest one may meet a collection of garbage. */
export const strictly: Lateness = { medianMs: 50, latestMs: 250 }

/** For a suite on any machine: tells a call that ends at its deadline from one that waits for a driver to lose patience. */
export const roughly: Lateness = { medianMs: 1_000, latestMs: 5_000 }

const tickMs = 5

/** How long the event loop was kept from its work, so that a busy machine is not taken for a slow store. */
export class LagMeter {
  #lastAt = performance.now()
  #lagMs = 0
  readonly #timer: NodeJS.Timeout

  constructor() {
    this.#timer = setInterval(() => this.#tick(), tickMs)
  }

  /** All lag so far, in milliseconds. */
  get lagMs(): number {
    return this.#lagMs + this.#present()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    this.#lagMs += this.#present()
    this.#lastAt = performance.now()
  }

  #present(): number {
    return Math.max(0, performance.now() - this.#lastAt - tickMs)
  }
}

/** Times calls against their deadlines. */
export class Stopwatch {
  readonly #meter: LagMeter = new LagMeter()
  readonly #allowed: Lateness
  readonly #late: number[] = []

  constructor(allowed: Lateness) {
    this.#allowed = allowed
  }

  /** The result of the call; its end is noted. */
  async time<T>(timeoutMs: number, run: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const lagBefore = this.#meter.lagMs
    try {
      return await run()
    } finally {
      const lagMs = this.#meter.lagMs - lagBefore
      this.#late.push(performance.now() - startedAt - lagMs - timeoutMs)
    }
  }

  /** Calls that were timed. */
  get calls(): number {
    return this.#late.length
  }

  /** How late the latest call was, in milliseconds. */
  get latestMs(): number {
    // As arguments there would be too many: where calls fail at once there are 100,000 of them.
    return this.#late.reduce((latest, one) => Math.max(latest, one), 0)
  }

  /** End, and refuse calls that ended too late. */
  check(): void {
    this.#meter.stop()
    const inOrder = this.#late.toSorted((a, b) => a - b)
    const median = inOrder[Math.floor(inOrder.length / 2)] ?? 0
    const latest = inOrder.at(-1) ?? 0
    const { medianMs, latestMs } = this.#allowed
    assert.ok(median <= medianMs, `calls end within ${medianMs} ms after their deadline, not ${median} ms`)
    assert.ok(
      latest <= latestMs,
      `every call ends within ${latestMs} ms after its deadline, not ${latest} ms`,
    )
  }

  /** End without a verdict. */
  stop(): void {
    this.#meter.stop()
  }
}
