import type { CallOptions } from '@unikv/core'
import type { Answer } from './answer.ts'
import type { LoadCall } from './load-call.ts'

/** So many loads of a key remember each other; those before may land late, and then cost a load more. */
const mostFollowed = 8

/** One key that is being loaded. */
export class Flight {
  readonly key: string
  /**
   * The last arrival that its answer serves. Infinity where this process alone writes: what it writes ends the flight for
   * those who come later. Otherwise it serves those who came before it looked, unless it is shown to be still the same.
   */
  validFor: number
  /** A write began, or a later load: what this one brings may be handed out, but must not be kept. */
  overtaken: boolean
  /** Whether a later load of the key has begun, and none has answered yet: readers may get this answer although it is not kept. */
  followed = false
  #before: Flight | undefined
  #depth = 0
  /** Whether others than its starter wait for it. */
  joined = false
  #load: LoadCall | undefined
  #landing: Promise<Answer> | undefined

  constructor(key: string, overtaken: boolean, validFor: number = Number.POSITIVE_INFINITY) {
    this.key = key
    this.overtaken = overtaken
    this.validFor = validFor
  }

  /** Note that it overtakes another load. */
  follow(before: Flight): void {
    before.giveUp()
    this.#depth = (before.#depth + 1) % mostFollowed
    if (this.#depth > 0) this.#before = before
  }

  /** Keep nothing of it. Its readers may get an answer that is not kept. */
  giveUp(): void {
    this.overtaken = true
    this.followed = true
  }

  /** Note that it was answered: what earlier loads bring is older. */
  answered(): void {
    let before = this.#before
    this.#before = undefined
    while (before !== undefined) {
      before.followed = false
      const next = before.#before
      before.#before = undefined
      before = next
    }
  }

  /** Note that it takes time. Without `landing` no caller can join it. */
  depart(load: LoadCall, landing?: Promise<Answer>): void {
    this.#load = load
    this.#landing = landing
  }

  /** Whether it may never land. */
  get isOverdue(): boolean {
    return this.#load?.isOverdue === true
  }

  /** Note for a caller that joined which layer answered that there is nothing. */
  tellAbsence(caller: CallOptions): void {
    this.#load?.tellAbsence(caller, this.key)
  }

  /** Its future answer, if this caller can wait for it. */
  join(caller: CallOptions): Promise<Answer> | undefined {
    if (this.#load?.join(caller) !== true) return undefined
    this.joined = true
    return this.#landing
  }
}

/** A load that one more reader waits for. */
export interface Joined {
  readonly flight: Flight
  readonly landing: Promise<Answer>
}
