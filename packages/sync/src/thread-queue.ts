import type { CallOptions, StoreError } from '@unikv/core'
import { endOf } from '@unikv/core/adapter'

interface Waiting {
  readonly call: CallOptions
  readonly isWrite: boolean
  readonly start: () => void
  readonly refuse: (error: StoreError) => void
}

/** Lets a number of calls in at a time, the others in the order in which they came. A call that has ended never gets in. */
export class ThreadQueue {
  #free: number
  readonly #most: number
  #waiting: Waiting[] = []
  #first = 0

  /** @param free How many are in at a time. @param most How many may wait. */
  constructor(free: number, most: number) {
    this.#free = free
    this.#most = most
  }

  /** Whether there is neither a turn nor a place to wait. Calls that have ended give their place up. */
  get isFull(): boolean {
    if (this.#free > 0) return false
    if (this.#length >= this.#most) this.#waiting = this.#left.filter((one) => !isRefused(one))
    return this.#length >= this.#most
  }

  /** Wait for a turn. @throws {StoreError} why the call ended before */
  take(call: CallOptions, isWrite: boolean): Promise<void> {
    return new Promise((start, refuse) => {
      const one = { call, isWrite, start, refuse }
      if (isRefused(one)) return
      if (this.#free === 0) this.#waiting.push(one)
      else {
        this.#free--
        start()
      }
    })
  }

  /** Hand the turn on. */
  give(): void {
    let next = this.#next()
    while (next !== undefined && isRefused(next)) next = this.#next()
    if (next === undefined) this.#free++
    else next.start()
  }

  /** Fail all waiting calls. */
  end(error: () => StoreError): void {
    for (const one of this.#left) one.refuse(error())
  }

  get #length(): number {
    return this.#waiting.length - this.#first
  }

  /** Those who wait. */
  get #left(): Waiting[] {
    const left = this.#waiting.slice(this.#first)
    this.#waiting = []
    this.#first = 0
    return left
  }

  #next(): Waiting | undefined {
    const next = this.#waiting[this.#first]
    if (next === undefined) return undefined
    // To shift a long array moves all of it.
    this.#first++
    if (this.#first * 2 > this.#waiting.length) this.#waiting = this.#left
    return next
  }
}

/** Whether the call has ended: its caller was told that nothing happened. */
function isRefused({ call, isWrite, refuse }: Waiting): boolean {
  const end = endOf(call, isWrite)
  if (end !== undefined) refuse(end)
  return end !== undefined
}
