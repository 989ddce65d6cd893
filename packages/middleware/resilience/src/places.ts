import { type CallOptions, StoreError } from '@unikv/core'
import { attempt, endOf } from '@unikv/core/adapter'
import type { ResilienceSettings } from './options.ts'

/** The places of calls under way: so many at once, and a queue that is bounded too. First come, first served. */
export class Places {
  readonly #limit: number
  readonly #queueLimit: number
  #queue: Waiting[] = []
  #taken = 0

  constructor({ limit, queue }: NonNullable<ResilienceSettings['concurrency']>) {
    this.#limit = limit
    this.#queueLimit = queue
  }

  /** Calls under way. */
  get taken(): number {
    return this.#taken
  }

  /** Calls that wait for a place. */
  get queued(): number {
    return this.#queue.reduce((count, one) => (isEnded(one) ? count : count + 1), 0)
  }

  /** Whether a place is free and the queue is empty. */
  get isFree(): boolean {
    return this.#taken < this.#limit && this.#queue.length === 0
  }

  /** Take a place at once, if one is free and the queue is empty. */
  take(): boolean {
    if (!this.isFree) return false
    this.#taken++
    return true
  }

  /**
   * Wait for a place, no longer than the call does.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait; `TIMEOUT`, `ABORTED`
   */
  async wait(call: CallOptions): Promise<void> {
    if (this.#queue.length >= this.#queueLimit) this.#forgetEnded()
    if (this.#queue.length >= this.#queueLimit) throw overloaded(this.#limit, this.#queueLimit)
    call.sent = false
    const waiting: Waiting = { call, isOver: false, start: () => {}, end: () => {} }
    let hasPlace = false
    const turn = new Promise<void>((resolve, reject) => {
      waiting.start = () => {
        hasPlace = true
        resolve()
      }
      waiting.end = () => {
        const end = endOf(call, false)
        if (end !== undefined) reject(end)
      }
    })
    // A call that is over already does not wait for it.
    turn.catch(() => {})
    this.#queue.push(waiting)
    try {
      await attempt(call, false, () => turn)
    } catch (error) {
      waiting.isOver = true
      // It came in the moment in which the call ended.
      if (hasPlace) this.leave()
      throw error
    }
  }

  /** Give a place back: to the next who still waits. */
  leave(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (isEnded(next)) {
        next.end()
        continue
      }
      next.isOver = true
      return next.start()
    }
    this.#taken--
  }

  #forgetEnded(): void {
    for (const one of this.#queue) if (isEnded(one)) one.end()
    this.#queue = this.#queue.filter((one) => !isEnded(one))
  }
}

interface Waiting {
  readonly call: CallOptions
  isOver: boolean
  start: () => void
  /** It has left the queue without a place, because its call is over: it waits no longer. */
  end: () => void
}

function isEnded({ call, isOver }: Waiting): boolean {
  return isOver || call.settled === true || call.signal?.aborted === true
}

function overloaded(limit: number, queue: number): StoreError {
  return new StoreError(
    'OVERLOADED',
    `${limit} calls are under way and ${queue} wait already; nothing was sent. Send fewer, or raise concurrency.`,
  )
}
