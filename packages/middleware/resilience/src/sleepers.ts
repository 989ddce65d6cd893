import type { CallOptions } from '@unikv/core'
import { clearTimeout, setTimeout, unwatch, watch } from '@unikv/core/platform'

/** Calls that wait before their next attempt. They end at once when the stack closes, and leave no timer behind. */
export class Sleepers {
  readonly #wakers = new Set<() => void>()
  #isClosed = false

  /** Wait; whether the call may go on after that. */
  async sleep(ms: number, call: CallOptions): Promise<boolean> {
    if (this.#isClosed) return false
    const { signal } = call
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#wakers.delete(wake)
        unwatch(signal, told)
        resolve()
      }
      const told = { handleEvent: wake }
      const timer = setTimeout(wake, ms)
      this.#wakers.add(wake)
      watch(signal, told)
    })
    return !this.#isClosed && call.settled !== true && signal?.aborted !== true
  }

  close(): void {
    this.#isClosed = true
    for (const wake of this.#wakers) wake()
  }
}
