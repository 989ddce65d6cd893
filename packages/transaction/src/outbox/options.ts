import {
  func,
  kindOf,
  ms,
  needed,
  type OptionsOf,
  part,
  readOptions,
  StoreError,
  unfailingListener,
  whole,
} from '@unikv/core/adapter'
import { usualWaits, type Waits, waits } from '../waits.ts'

/** A message of an outbox. Its type follows from its topic. */
export type OutboxMessage<M extends object = Record<string, unknown>> = {
  readonly [T in keyof M & string]: {
    /** The same whenever the message is handed on. */
    readonly id: string
    readonly topic: T
    readonly value: M[T]
    /** `undefined`: it has no order. */
    readonly key: string | undefined
    /** It grows from message to message of a key, for ever. */
    readonly number: number
    /** When it was published, by the wall clock of that process, in milliseconds since 1970. */
    readonly publishedAt: number
    /** How many attempts at it have failed. */
    readonly failed: number
  }
}[keyof M & string]

/** Handles a message; it is removed once the promise resolves, and handed on again after it rejects. */
export type Handler<M> = (message: M, call: HandlerCall) => unknown

/** The call of a handler. */
export interface HandlerCall {
  /** Aborted when the time of the handler is over, or when another relay may hand the message on. */
  readonly signal: AbortSignal
}

/** A handler for all messages, or one for each topic. A message whose topic has none fails. */
export type Handlers<M extends object> =
  | Handler<OutboxMessage<M>>
  | { readonly [T in keyof M & string]: Handler<Extract<OutboxMessage<M>, { readonly topic: T }>> }

const deadTable = {
  /** So many failed attempts are enough. */
  afterFailed: needed(whole(undefined)),
  /** Takes a message in place of the handler; the message is removed once the promise resolves. */
  handler: needed(func<(message: OutboxMessage, call: HandlerCall) => unknown>()),
}

const table = {
  /** Most messages that are handled at the same time; those of one key never are. @default 16 */
  concurrency: whole(16),
  /** How often the outbox is looked at, in milliseconds, by one request. Messages of this process need no look. @default 100 */
  pollMs: ms(100),
  /** How long a relay that does not answer keeps its lanes, in milliseconds. @default 5,000 */
  leaseMs: ms(5_000),
  /** Time of a handler, in milliseconds; then its message has failed. @default 30,000 */
  handlerMs: ms(30_000),
  /** The wait before a message that has failed so often is handed on again, in milliseconds. @default 100 · 2^(failed − 1), up to a minute */
  retryMs: waits,
  /** @default none: a message is handed on until its handler takes it, and its key waits */
  deadLetters: part(deadTable),
  /** Hears of each error: of a handler, with its message, or of the store. */
  onError: told,
}

/** Messages that fail again and again. */
export interface DeadLetters<M extends object>
  extends OptionsOf<
    typeof deadTable,
    {
      /** Takes a message in place of the handler; the message is removed once the promise resolves. */
      handler: (message: OutboxMessage<M>, call: HandlerCall) => unknown
    }
  > {}

/** Options of a relay. */
export interface RelayOptions<M extends object = Record<string, unknown>>
  extends OptionsOf<
    typeof table,
    {
      deadLetters: DeadLetters<M>
      /** Hears of each error: of a handler, with its message, or of the store. */
      onError: (error: unknown, message: OutboxMessage<M> | undefined) => unknown
    }
  > {}

/** Counters of a relay. */
export interface RelayStatistics {
  /** Messages that were handed on and removed. */
  readonly sent: number
  /** Attempts that failed. */
  readonly failed: number
  /** Messages that were taken as dead letters. */
  readonly dead: number
  /** Lanes that this relay works on now. */
  readonly lanes: number
  /** Time from publishing to the first attempt, by the wall clocks of both processes, in milliseconds; `NaN`: none yet. */
  readonly lagMs: { readonly median: number; readonly p99: number; readonly max: number }
}

/** A relay that runs. */
export interface Relay {
  /** Counts of this relay. */
  statistics(): RelayStatistics
  /**
   * End after the messages that are being handled. Resolves when others can go on with the rest. A handler that waits for it would wait for
   * itself, until its time is over: it calls it without `await`.
   */
  stop(): Promise<void>
  /** `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

type Any = Record<string, unknown>

/** The options of a relay with their defaults. */
export type RelayPlan = ReturnType<typeof planOf>

/** @throws {StoreError} `INVALID_CONFIG` */
export function planOf(handlers: Handlers<Any>, options: RelayOptions<Any>) {
  const { onError: tell, retryMs, ...plan } = readOptions('relay', table, options)
  return { ...plan, handlerOf: handlerOf(handlers), retryMs: unfailing(retryMs, tell), tell }
}

type Tell = (error: unknown, message?: OutboxMessage) => void

function told(
  own: ((error: unknown, message: OutboxMessage | undefined) => unknown) | undefined,
  name: string,
  whose: string,
): Tell {
  const hear = unfailingListener<readonly [unknown, OutboxMessage | undefined]>(
    whose,
    name,
    typeof own === 'function' ? ([error, message]) => own(error, message) : own,
  )
  return (error, message) => hear([error, message])
}

/** A message must not be left because of a wait. */
function unfailing(own: Waits, tell: Tell): Waits {
  return (failed) => {
    try {
      return own(failed)
    } catch (error) {
      tell(error)
      return usualWaits(failed)
    }
  }
}

function handlerOf(handlers: Handlers<Any>): (topic: string) => Handler<OutboxMessage> | undefined {
  if (typeof handlers === 'function') return () => handlers
  if (typeof handlers !== 'object' || handlers === null || Object.keys(handlers).length === 0)
    throw new StoreError(
      'INVALID_CONFIG',
      `relay() needs a handler, or an object with one for each topic; got ${kindOf(handlers)}.`,
    )
  const own = new Map(Object.entries(handlers))
  for (const [topic, handler] of own) checkFunction(`The handler of ${JSON.stringify(topic)}`, handler)
  return (topic) => own.get(topic)
}

function checkFunction(name: string, value: unknown): void {
  if (typeof value === 'function') return
  throw new StoreError('INVALID_CONFIG', `${name} of relay() must be a function, got ${kindOf(value)}.`)
}
