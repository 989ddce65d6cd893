import { checkKeyValue, type OptionsOf, readOptions, whole } from '@unikv/core/adapter'
import { coreOf, OpenedOutbox, type OutboxStore } from './core.ts'
import type { Handlers, Relay, RelayOptions } from './options.ts'
import { startRelay } from './relay.ts'

const table = {
  /**
   * How many lanes the keys of messages are dealt to, from 1 to 256. Two transactions of different processes that publish into one lane at the same time
   * conflict, and one relay at a time works on a lane. It cannot be changed later. @default 16, or what the outbox has
   */
  lanes: whole(undefined, 1, 256),
}

/** Options of `outbox`. */
export interface OutboxOptions extends OptionsOf<typeof table> {}

/** Messages that are committed with the data of a transaction. `M`: the messages by their topics. */
export interface Outbox<in out M extends object = Record<string, unknown>> {
  /** Type-level only. */
  readonly '~messages'?: (messages: M) => M
  /**
   * Hand messages on from now on, in this process: each at least once, and those of a key in the order of their commits. Any number of relays may run at the
   * same time, in any processes. It keeps its process alive until `stop`.
   *
   * @param handlers a function for all messages, or one for each topic
   * @throws {StoreError} `INVALID_CONFIG`
   */
  relay(handlers: Handlers<M>, options?: RelayOptions<M>): Relay
}

const opened = new WeakMap<object, OpenedOutbox>()

/**
 * An outbox in a KeyValue, or a namespace, of its own: what a transaction publishes is committed with its other changes, and relays hand it on.
 *
 * ```ts
 * const events = outbox(keyValue(store, [json(), transactional({ log })]))
 * const db = transactions({ orders, events, log })
 * await db.run(async (tx) => {
 *   await tx.orders.set('o1', { paid: 10 })
 *   await tx.events.publish('order paid', { id: 'o1' }, { key: 'o1' })
 * })
 * const relay = events.relay(async (message) => send(message))
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a KeyValue that cannot take part in transactions
 */
export function outbox<M extends object = Record<string, unknown>>(
  kv: OutboxStore,
  options: OutboxOptions = {},
): Outbox<M> {
  const { lanes } = readOptions('outbox', table, options)
  checkKeyValue('outbox', kv)
  const own = new OpenedOutbox(coreOf(kv), lanes)
  const made: Outbox<M> = {
    relay: (handlers, relayOptions = {}) => startRelay(own, handlers as never, relayOptions as never),
  }
  opened.set(made, own)
  return made
}

/** The outbox that `outbox` opened; `undefined`: another object. */
export function outboxIn(store: unknown): OpenedOutbox | undefined {
  return typeof store === 'object' && store !== null ? opened.get(store) : undefined
}
