import { Call } from '../contract/call.ts'
import { endedBy } from '../contract/call-errors.ts'
import { isEntry } from '../contract/entry.ts'
import type { CallOptions, Entry, ReadResult } from '../contract/store.ts'
import { ownValue } from '../stack/own-value.ts'
import { type Deferred, promiseFor } from './deferred.ts'

/** One caller of an item. */
export class Waiting<T, R> implements Deferred<readonly R[]> {
  // Declared, and assigned once: a field would be defined first.
  declare readonly item: T
  declare readonly call: CallOptions
  /** Another caller of the same item. */
  declare readonly next: Waiting<T, R> | undefined
  declare readonly promise: Promise<readonly R[]>
  declare resolve: (results: readonly R[]) => void
  declare reject: (error: unknown) => void

  constructor(item: T, call: CallOptions, next: Waiting<T, R> | undefined) {
    this.item = item
    this.call = call
    this.next = next
    this.promise = promiseFor(this)
  }
}

/** Whether a caller of the item still waits. Those who do not are told. */
export function isLive<T, R>(first: Waiting<T, R>, isWrite: boolean): boolean {
  for (let one: Waiting<T, R> | undefined = first; one !== undefined; one = one.next) {
    const end = endedBy(one.call, isWrite)
    if (end === undefined) return true
    one.reject(end)
  }
  return false
}

/** Answer all callers of each item with its result. */
export function settle<T, R>(part: readonly Waiting<T, R>[], results: readonly R[]): void {
  part.forEach((first, i) => {
    const result = results[i] as R
    first.resolve([result])
    for (let one = first.next; one !== undefined; one = one.next) one.resolve([ownResult(result)])
  })
}

/** Each of the readers that share a read gets its own value. */
function ownResult<R>(result: R): R {
  if (!isEntry(result as ReadResult<unknown>)) return result
  return { ...result, value: ownValue((result as Entry<unknown>).value) }
}

/** Answer all callers of all items with one error. */
export function fail<T, R>(part: readonly Waiting<T, R>[], error: unknown): void {
  for (const first of part)
    for (let one: Waiting<T, R> | undefined = first; one !== undefined; one = one.next) one.reject(error)
}

/**
 * The options of a merged call: the latest deadline; each caller's own signal and deadline stay with KeyValue. Whether a
 * write was sent is told to each of them. One that ended before that was told that nothing was changed: then the whole is
 * not sent, and the others are sent without it.
 */
export class SharedCall<T, R> extends Call {
  readonly #part: readonly Waiting<T, R>[]
  readonly #isWrite: boolean
  #sent = false

  constructor(part: readonly Waiting<T, R>[], isWrite: boolean) {
    super(0)
    this.#part = part
    this.#isWrite = isWrite
  }

  override get sent(): boolean {
    return this.#sent
  }

  override set sent(sent: boolean) {
    this.#sent = sent
    if (this.#isWrite) for (const { call } of this.#part) call.sent = sent
  }

  override get settled(): boolean {
    return this.#isWrite && !this.#sent && this.#part.some(({ call }) => endedBy(call, true) !== undefined)
  }

  override get deadlineAt(): number {
    let latest = 0
    for (const first of this.#part)
      for (let one: Waiting<T, R> | undefined = first; one !== undefined; one = one.next)
        latest = Math.max(latest, one.call.deadlineAt)
    return latest
  }
}
