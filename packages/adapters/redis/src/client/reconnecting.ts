import { AbortController, clearTimeout, setTimeout } from '@unikv/core/platform'

const firstPauseMs = 50
const longestPauseMs = 2_000

/** Lives a connection again and again, with pauses that grow while it does not come up. Its timers keep no process alive. */
export class Reconnecting {
  readonly #closed = new AbortController()
  readonly #running: Promise<void>

  /** `live` is one life: it ends when the connection is lost or the signal aborts, and says whether it was ever up. */
  constructor(live: (signal: AbortSignal) => Promise<boolean>) {
    this.#running = this.#run(live)
  }

  /** Live no more. Resolves when the last life has ended. */
  async close(): Promise<void> {
    this.#closed.abort()
    await this.#running
  }

  async #run(live: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
    const { signal } = this.#closed
    let pauseMs = firstPauseMs
    while (!signal.aborted) {
      const wasUp = await live(signal).catch(() => false)
      pauseMs = wasUp ? firstPauseMs : Math.min(longestPauseMs, 2 * pauseMs)
      await pause(pauseMs * (0.5 + Math.random() / 2), signal)
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms).unref()
    signal.addEventListener('abort', end)
  })
}
