import { AbortController } from '@unikv/core/platform'

/**
 * Tells the driver that a command is given up, by a signal that can be used for one command after the other. The driver
 * listens to it three times a command. For an event of Node that costs as much as all else around the command, so these
 * listeners stand in a list.
 */
export class Ending {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  readonly #listeners: Listener[] = []

  constructor() {
    this.signal = this.#controller.signal
    Object.assign(this.signal, {
      addEventListener: (_type: 'abort', listener: Listener) => this.#listeners.push(listener),
      removeEventListener: (_type: 'abort', listener: Listener) => this.#remove(listener),
    })
  }

  /** Whether it has no listeners, as after a command that was answered. */
  get isFree(): boolean {
    return this.#listeners.length === 0 && !this.signal.aborted
  }

  /** Give the command up. Each listener is told once. */
  abort(): void {
    this.#controller.abort()
    const event = new Event('abort')
    for (const listener of this.#listeners.splice(0)) {
      if (typeof listener === 'function') listener.call(this.signal, event)
      else listener.handleEvent(event)
    }
  }

  #remove(listener: Listener): void {
    const place = this.#listeners.lastIndexOf(listener)
    if (place >= 0) this.#listeners.splice(place, 1)
  }
}

type Listener = ((this: AbortSignal, event: Event) => void) | { handleEvent(event: Event): void }
