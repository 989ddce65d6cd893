import { endedBy } from '../contract/call-errors.ts'
import type { CallOptions } from '../contract/store.ts'
import { AbortController } from '../platform/signals.ts'
import { closed } from './adapter-errors.ts'
import { attempt } from './attempt.ts'

/**
 * Opens once what a store needs before its first call (a driver, a connection, a look at the table). After a failure
 * the next call tries again. If it is not open by the deadline of a call, the call was certainly not sent.
 */
export class Opening<T> {
  /** The opened value, once there is one. */
  ready: T | undefined
  readonly #open: (closing: AbortSignal) => Promise<T>
  readonly #release: (opened: T) => Promise<unknown>
  readonly #stop = new AbortController()
  #opening: Promise<T> | undefined
  #closing: Promise<void> | undefined

  /**
   * `open` gets a signal that is aborted by `close`: a server that does not answer must not keep it waiting. `release`
   * gets what `open` resolved to, also when that comes after `close`.
   */
  constructor(open: (closing: AbortSignal) => Promise<T>, release: (opened: T) => Promise<unknown>) {
    this.#open = open
    this.#release = release
  }

  /**
   * Open, and wait for it no longer than the call does. Meanwhile the write is known as not sent
   * (`call.sent` is `false`, and as before once it is open).
   *
   * @throws {StoreError} `CLOSED`, `TIMEOUT`, `ABORTED`, and what `open` throws
   */
  async opened(call: CallOptions): Promise<T> {
    if (this.#closing !== undefined) throw closed()
    if (this.ready !== undefined) return this.ready
    const { sent = false } = call
    call.sent = false
    const opened = await attempt(call, false, () => this.open())
    // Merged calls: each may have been told meanwhile that nothing was sent.
    const end = endedBy(call, true)
    if (end !== undefined) throw end
    call.sent = sent
    return opened
  }

  /** Open, however long it takes. */
  open(): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(closed())
    this.#opening ??= this.#opened().catch((error: unknown) => {
      this.#opening = undefined
      throw this.#closing === undefined ? error : closed()
    })
    return this.#opening
  }

  /** Refuse what comes from now on, and release what was opened. Twice is fine. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #opened(): Promise<T> {
    const opened = await this.#open(this.#stop.signal)
    if (this.#closing === undefined) this.ready = opened
    return opened
  }

  async #close(): Promise<void> {
    this.ready = undefined
    this.#stop.abort()
    const opened = await this.#opening?.catch(() => undefined)
    if (opened !== undefined) await this.#release(opened)
  }
}
