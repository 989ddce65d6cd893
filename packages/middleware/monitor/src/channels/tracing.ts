import { type Channel, channel } from 'node:diagnostics_channel'
import { type Awaitable, isPromise, isStoreError, StoreError } from '@unikv/core'
import type { Operation } from '../operation.ts'
import type { channelNames } from './publishing.ts'

/** The message of the tracing channels, one object from the start of a call to its end. Never holds a key or a value. */
export interface TracedCall {
  /** Name of the store, or of the native call. */
  readonly store: string
  /** `mixed`: a write of several types. Each page of a scan is a call, and so is its end. */
  readonly operation: Operation | 'mixed'
  /** How many items the call has; of a page of a scan, how many entries came. */
  items: number
  /** How many of them failed; there when the call has ended. */
  failed?: number
  /** An error without keys, values or cause; there if the call failed as a whole. */
  error?: StoreError
}

/** The five channels of a verb. `tracingChannel('unikv:read')` of Node.js subscribes to all of them. */
class Channels {
  readonly #start: Channel
  readonly #end: Channel
  readonly #asyncStart: Channel
  readonly #asyncEnd: Channel
  readonly #error: Channel

  constructor(verb: string) {
    const named = (event: string): Channel => channel(`tracing:unikv:${verb}:${event}`)
    this.#start = named('start')
    this.#end = named('end')
    this.#asyncStart = named('asyncStart')
    this.#asyncEnd = named('asyncEnd')
    this.#error = named('error')
  }

  get areHeard(): boolean {
    return (
      this.#start.hasSubscribers ||
      this.#end.hasSubscribers ||
      this.#asyncStart.hasSubscribers ||
      this.#asyncEnd.hasSubscribers ||
      this.#error.hasSubscribers
    )
  }

  /** Run a call, in the context that subscribers bind to its start. `counted` completes the message by the answer. */
  trace<T>(message: TracedCall, run: () => Awaitable<T>, counted: (answer: T) => void): Awaitable<T> {
    let answer: Awaitable<T>
    try {
      answer = this.#start.runStores(message, run)
      if (!isPromise(answer)) counted(answer)
    } catch (error) {
      throw this.#failed(message, error)
    } finally {
      this.#end.publish(message)
    }
    return isPromise(answer) ? this.#awaited(message, answer, counted) : answer
  }

  async #awaited<T>(message: TracedCall, answer: Promise<T>, counted: (answer: T) => void): Promise<T> {
    try {
      const value = await answer
      counted(value)
      return value
    } catch (error) {
      throw this.#failed(message, error)
    } finally {
      this.#asyncStart.publish(message)
      this.#asyncEnd.publish(message)
    }
  }

  /** Returns the error, to be thrown on. */
  #failed(message: TracedCall, error: unknown): unknown {
    message.failed = message.items
    message.error = withoutData(message, error)
    this.#error.publish(message)
    return error
  }
}

/** The channels of each verb, and of native calls. */
export const tracing: { readonly [verb in keyof typeof channelNames]: Channels } = {
  read: new Channels('read'),
  write: new Channels('write'),
  scan: new Channels('scan'),
  native: new Channels('native'),
}

/** Its cause and its key may hold data, and so may the text of an error of a native client. */
function withoutData({ store, operation }: TracedCall, error: unknown): StoreError {
  const where = { store, operation }
  if (isStoreError(error)) return new StoreError(error.code, error.message, where)
  return new StoreError('UNAVAILABLE', `${operation} of ${store} failed.`, where)
}
