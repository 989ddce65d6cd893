import { type CallOptions, StoreError } from '@unikv/core'
import { bounded, derive } from '@unikv/core/adapter'

/** Room for so many entries and bytes, taken first come, first served. */
export class Room {
  readonly #maxEntries: number
  readonly #maxBytes: number
  readonly #waiting = new Set<Waiter>()
  #entries = 0
  #bytes = 0

  constructor(maxEntries: number, maxBytes: number) {
    this.#maxEntries = maxEntries
    this.#maxBytes = maxBytes
  }

  get entries(): number {
    return this.#entries
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether somebody waits for room. */
  get isWanted(): boolean {
    return this.#waiting.size > 0
  }

  /** Take room for one entry, if there is some and no other entry waits; whether it was so. */
  tryTake(bytes: number): boolean {
    if (this.isWanted || !this.#fits(bytes)) return false
    this.take(bytes)
    return true
  }

  /** Take room whether there is some or not. */
  take(bytes: number): void {
    this.#entries++
    this.#bytes += bytes
  }

  /**
   * Wait for room and take it.
   *
   * @throws {StoreError} `TIMEOUT`, `ABORTED`; what `dismiss` says
   */
  wait(bytes: number, call: CallOptions): Promise<void> {
    const waiter: Waiter = { bytes, isServed: false, resolve: () => {}, reject: () => {} }
    const ask = (): Promise<void> =>
      new Promise((resolve, reject) => {
        waiter.resolve = resolve
        waiter.reject = reject
        this.#waiting.add(waiter)
      })
    // A change that waits for room was not sent, even if the rest of the call was.
    return bounded(derive(call, { sent: 'own' }), true, ask, () => {
      call.settled = true
      // It was served in this very moment, and does not know it.
      if (waiter.isServed) this.give(bytes)
      this.#waiting.delete(waiter)
      this.#serve()
    })
  }

  /** Give back the room of one entry. */
  give(bytes: number): void {
    this.#entries--
    this.#bytes -= bytes
    this.#serve()
  }

  /** Tell this to all who wait. */
  dismiss(error: () => StoreError): void {
    for (const waiter of this.#waiting) waiter.reject(error())
    this.#waiting.clear()
  }

  #serve(): void {
    for (const waiter of this.#waiting) {
      if (!this.#fits(waiter.bytes)) return
      this.#waiting.delete(waiter)
      this.take(waiter.bytes)
      waiter.isServed = true
      waiter.resolve()
    }
  }

  #fits(bytes: number): boolean {
    if (this.#entries === 0) return true
    return this.#entries < this.#maxEntries && this.#bytes + bytes <= this.#maxBytes
  }
}

interface Waiter {
  readonly bytes: number
  isServed: boolean
  resolve: () => void
  reject: (error: StoreError) => void
}

/** The error of a write for which there is no room. */
export function overloaded(cause: StoreError | undefined): StoreError {
  return new StoreError(
    'OVERLOADED',
    'The queue of writes is full, as the store does not keep up; nothing was changed. Try later, or raise maxQueued and maxQueuedBytes.',
    cause === undefined ? {} : { cause },
  )
}
