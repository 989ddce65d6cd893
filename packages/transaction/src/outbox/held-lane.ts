import type { Version } from '@unikv/core'
import { AbortController, agingClock } from '@unikv/core/platform'
import type { Claim, Found, StoredMessage } from './layout.ts'
import type { FoundClaim } from './records.ts'

/** Messages of a lane that may be kept here, with those whose keys wait. */
const mostWaiting = 10_000
/** Values of a longer queue are read when their turn comes. */
const mostValues = 100
/** Most numbers in one read. */
const mostRead = 200

/** A message that was read. */
export interface Waiting {
  readonly number: number
  readonly version: Version
  /** `undefined`: it must be read again. */
  message: StoredMessage | undefined
}

/** The messages of one key, in their order. */
export class Queue {
  readonly name: string
  waiting: Waiting[] = []
  /** It is being worked on, is in line for that, or rests after a failure. */
  isTaken = false

  constructor(name: string) {
    this.name = name
  }
}

/** A lane that this relay works on. */
export class HeldLane {
  readonly lane: number
  /** The version of its claim. */
  version: Version
  /** Until then no other relay has taken it, by the clock of this process. */
  sureUntil: number
  /** When something was last done, by the clock of this process. */
  usedAt: number = agingClock()
  isLoading = false
  /** The write of its claim that is under way. */
  writing: Promise<unknown> = Promise.resolve()
  /** Another relay may have it. */
  readonly lost: AbortController = new AbortController()
  readonly #queues = new Map<string, Queue>()
  readonly #failed: Map<number, number>
  /** Numbers up to `#readTo` that are still to be read. */
  #unread: readonly number[]
  #readTo: number
  #last = 0
  #count = 0

  constructor(lane: number, { value }: FoundClaim, version: Version, sureUntil: number) {
    this.lane = lane
    this.version = version
    this.sureUntil = sureUntil
    this.#readTo = value.readTo
    this.#unread = value.waiting
    this.#failed = new Map(Object.entries(value.failed).map(([number, count]) => [Number(number), count]))
  }

  get isLost(): boolean {
    return this.lost.signal.aborted
  }

  /** Whether no other relay can have taken it. */
  get isSure(): boolean {
    return !this.isLost && agingClock() < this.sureUntil
  }

  get isEmpty(): boolean {
    return this.#count === 0 && this.#unread.length === 0 && this.#readTo >= this.#last
  }

  /** The newest number that was seen. */
  get last(): number {
    return this.#last
  }

  /** The newest number of the lane is at least this one. */
  hear(last: number): void {
    if (last > this.#last) this.#last = last
  }

  /** The numbers to read next. */
  next(): readonly number[] {
    if (this.#unread.length > 0) return this.#unread.slice(0, mostRead)
    const count = Math.min(mostRead, this.#last - this.#readTo, mostWaiting - this.#count)
    return Array.from({ length: Math.max(0, count) }, (_, i) => this.#readTo + 1 + i)
  }

  /** Take in what was read. Resolves to the queues that it belongs to. A number without a message was handed on. */
  add(numbers: readonly number[], found: readonly (Found<StoredMessage> | undefined)[]): readonly Queue[] {
    if (this.#unread.length > 0) this.#unread = this.#unread.slice(numbers.length)
    else this.#readTo = numbers.at(-1) as number
    this.usedAt = agingClock()
    return numbers.flatMap((number, i) => {
      const one = found[i]
      if (one === undefined) {
        this.#failed.delete(number)
        return []
      }
      const { key } = one.value
      const queue = this.#queueOf(key === undefined ? `n${number}` : `k${key}`)
      const message = queue.waiting.length < mostValues ? one.value : undefined
      queue.waiting.push({ number, version: one.version, message })
      this.#count++
      return [queue]
    })
  }

  /** The first messages of a queue that must be read again. */
  missing(queue: Queue): readonly Waiting[] {
    return queue.waiting.slice(0, mostValues).filter(({ message }) => message === undefined)
  }

  failedOf(number: number): number {
    return this.#failed.get(number) ?? 0
  }

  fail(number: number): number {
    const count = this.failedOf(number) + 1
    this.#failed.set(number, count)
    return count
  }

  /** Its first message is gone. */
  shift(queue: Queue): void {
    const first = queue.waiting.shift()
    if (first === undefined) return
    this.#count--
    this.#failed.delete(first.number)
    this.usedAt = agingClock()
    if (queue.waiting.length === 0) this.#queues.delete(queue.name)
  }

  /** Its claim, as it is now. */
  claim(by: string | undefined): Claim {
    const read = [...this.#queues.values()].flatMap(({ waiting }) => waiting.map(({ number }) => number))
    return {
      ...(by !== undefined && { by }),
      readTo: this.#readTo,
      waiting: [...this.#unread, ...read].sort((a, b) => a - b),
      failed: Object.fromEntries(this.#failed),
    }
  }

  #queueOf(name: string): Queue {
    let queue = this.#queues.get(name)
    if (queue === undefined) {
      queue = new Queue(name)
      this.#queues.set(name, queue)
    }
    return queue
  }
}
