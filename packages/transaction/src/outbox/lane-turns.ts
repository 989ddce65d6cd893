import { AbortController, pause } from '@unikv/core/platform'

/** How long a commit waits for another one of this process that publishes into the same lane, in milliseconds. */
const patienceMs = 100

/** Turns of the lanes in one process. No turn is waited for long, as a commit that hangs must not hold the others up. */
export class LaneTurns {
  readonly #last = new Map<number, Promise<void>>()

  /** Do the work when earlier work of these lanes has ended, or the patience. */
  async take<T>(lanes: readonly number[], work: () => Promise<T>): Promise<T> {
    const before = lanes.flatMap((lane) => this.#last.get(lane) ?? [])
    const mine = before.length === 0 ? work() : within(Promise.all(before)).then(work)
    const end = (): void => {}
    const ended = mine.then(end, end)
    for (const lane of lanes) this.#last.set(lane, ended)
    try {
      return await mine
    } finally {
      for (const lane of lanes) if (this.#last.get(lane) === ended) this.#last.delete(lane)
    }
  }
}

/** Resolves when the work has ended, or the patience. */
async function within(work: Promise<unknown>): Promise<void> {
  const early = new AbortController()
  await Promise.race([work, pause(patienceMs, { signal: early.signal })])
  early.abort()
}
