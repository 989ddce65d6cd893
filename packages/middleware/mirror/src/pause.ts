/** How long to wait after failures. */
export interface PauseSettings {
  /** Wait after the first failure, in milliseconds; twice as long after each that follows. */
  readonly baseMs: number
  /** Longest wait in milliseconds. */
  readonly capMs: number
  /** Monotonic clock in milliseconds. */
  readonly now: () => number
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/** Half to all of the wait after so many failures, so that many who wait do not come back at once. */
export function waitMs({ baseMs, capMs, random }: PauseSettings, failures: number): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30))
  return full * (0.5 + random() / 2)
}

/** A store that failed is left alone for a while, and longer each time. */
export class Pause {
  readonly #settings: PauseSettings
  #failures = 0
  #until = 0

  constructor(settings: PauseSettings) {
    this.#settings = settings
  }

  /** When it may be asked again; 0 if it works. */
  get until(): number {
    return this.#until
  }

  /** Whether it failed when it was last asked. */
  get isFailing(): boolean {
    return this.#failures > 0
  }

  /** Whether it must be left alone now. */
  get isOn(): boolean {
    return this.#failures > 0 && this.#settings.now() < this.#until
  }

  /** Note a failure. Only the first of several concurrent ones counts. */
  fail(): void {
    if (this.isOn) return
    this.#failures++
    this.#until = this.#settings.now() + waitMs(this.#settings, this.#failures)
  }

  /** Note an answer. */
  well(): void {
    this.#failures = 0
    this.#until = 0
  }
}
