import { causeOf, StoreError } from '@unikv/core/adapter'
import { isError, queueMicrotask } from '@unikv/core/platform'
import { isUseless } from '../errors.ts'
import type { RedisConnection, RedisPipeline, RedisStream } from './redis-client.ts'

/** The part of a client of node-redis that this store uses. */
export interface NodeRedisClient {
  /** It is connected, or tries to be. */
  readonly isOpen: boolean
  /** Commands go out at once. */
  readonly isReady: boolean
  /** How often it was connected. */
  readonly socketEpoch: number
  /** Resolves when it is ready. */
  connect(): Promise<unknown>
  /** Ends it at once; what waits is rejected. */
  destroy(): void
  /** Sends a command with the options that the client has for its commands. */
  sendCommand(args: readonly (string | Buffer)[]): Promise<unknown>
  /** The same client, with these options for commands before those that it has. */
  withCommandOptions(options: object): Pick<NodeRedisClient, 'sendCommand'>
  /** Listens to `ready`, `error`, `reconnecting`, `terminated` and `end`. */
  on(event: string, listener: (error?: unknown) => void): unknown
  /** Listens no more. */
  off(event: string, listener: (error?: unknown) => void): unknown
}

/**
 * Strings of the server as bytes, and no timer for each command: a call has one deadline, which is not the client's.
 * Given to the client once: with each command it would spread them over its own, which takes as long as the rest.
 *
 * @see https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
const binary = {
  typeMapping: { ['$'.charCodeAt(0)]: Buffer, ['='.charCodeAt(0)]: Buffer },
  timeout: 0,
  abortSignal: undefined,
}

/** How a client of node-redis says what one of ioredis says, so that both are spoken to in the same way. */
export class NodeRedisConnection implements RedisConnection {
  readonly options: object
  readonly #client: NodeRedisClient
  readonly #commands: Pick<NodeRedisClient, 'sendCommand'>
  readonly #ours: boolean
  readonly #listeners = new Map<unknown, readonly (readonly [event: string, heard: () => void])[]>()
  readonly #ended = new Set<() => void>()
  #stream: RedisStream & { readonly epoch: number }
  /** Commands that wait for their replies. */
  readonly commandQueue: { length: number } = { length: 0 }
  #answers = 0
  #connecting = false
  #givenUp = false

  /** `ours`: opened by this store, so that it may be given up when it is of no use any more. */
  constructor(client: NodeRedisClient, address: object, ours: boolean) {
    this.options = address
    this.#client = client
    this.#commands = client.withCommandOptions(binary)
    this.#ours = ours
    this.#stream = this.#newStream()
  }

  /** Another one for each connection. */
  get stream(): RedisStream {
    if (this.#stream.epoch !== this.#client.socketEpoch) this.#stream = this.#newStream()
    return this.#stream
  }

  get status(): string {
    const { isReady, isOpen, socketEpoch } = this.#client
    if (isReady) return 'ready'
    if (this.#connecting) return 'connecting'
    if (isOpen) return 'reconnecting'
    return socketEpoch === 0 ? 'wait' : 'end'
  }

  async connect(): Promise<void> {
    this.#connecting = true
    this.#givenUp = false
    try {
      await this.#client.connect()
      // The client cannot destroy a socket before it is open.
      if (this.#givenUp) this.#client.destroy()
    } finally {
      this.#connecting = false
      if (!this.#client.isReady) this.#end()
    }
  }

  disconnect(): void {
    this.#givenUp = true
    this.#client.destroy()
    this.#end()
  }

  on(event: string, listener: (error?: unknown) => void): void {
    const heard = heardAs(event, listener)
    this.#listeners.set(listener, [...(this.#listeners.get(listener) ?? []), ...heard])
    for (const [name, hear] of heard) this.#client.on(name, hear)
    if (event === 'end') this.#ended.add(listener)
  }

  off(_event: string, listener: (error?: unknown) => void): void {
    for (const [name, hear] of this.#listeners.get(listener) ?? []) this.#client.off(name, hear)
    this.#listeners.delete(listener)
    this.#ended.delete(listener)
  }

  getBuffer(key: string): Promise<Buffer | null> {
    return this.#send(['GET', key]) as Promise<Buffer | null>
  }

  callBuffer(command: string, args: (string | Buffer)[]): Promise<unknown> {
    return this.#send([command, ...args])
  }

  /** Commands of one turn of the event loop are sent together. */
  pipeline(): RedisPipeline {
    const commands: (string | Buffer)[][] = []
    return {
      callBuffer: (command, args) => commands.push([command, ...args]),
      exec: () => Promise.all(commands.map((args) => outcomeOf(this.#send(args)))),
    }
  }

  #send(args: readonly (string | Buffer)[]): Promise<unknown> {
    this.commandQueue.length += 1
    return this.#commands.sendCommand(args).then(this.#answered, this.#failed)
  }

  readonly #answered = (reply: unknown): unknown => {
    this.commandQueue.length -= 1
    this.#answers += 1
    return reply
  }

  readonly #failed = (error: unknown): never => {
    this.commandQueue.length -= 1
    this.#answers += 1
    const failure = inOtherWords(error)
    if (this.#ours && isUseless(failure)) this.disconnect()
    throw failure
  }

  /** The socket is private: instead of its bytes answers are counted, and the client is given up as a whole. */
  #newStream(): RedisStream & { readonly epoch: number } {
    const answers = () => this.#answers
    return {
      epoch: this.#client.socketEpoch,
      writable: true,
      get bytesRead() {
        return answers()
      },
      destroy: () => this.#ours && this.disconnect(),
    }
  }

  #end(): void {
    for (const listener of this.#ended) listener()
  }
}

function outcomeOf(reply: Promise<unknown>): Promise<[error: Error | null, result: unknown]> {
  return reply.then(
    (result) => [null, result],
    (error: Error) => [error, undefined],
  )
}

/** Events of node-redis by the name that ioredis has for them. It tells the reason of an end after the end. */
function heardAs(
  event: string,
  listener: (error?: unknown) => void,
): readonly (readonly [event: string, heard: (error?: unknown) => void])[] {
  const soon = () => queueMicrotask(listener)
  if (event === 'close') return [['reconnecting', soon]]
  if (event === 'end')
    return [
      ['end', soon],
      ['terminated', soon],
    ]
  return [[event, event === 'error' ? (error) => listener(inOtherWords(error)) : listener]]
}

const replies = new Set(['ErrorReply', 'SimpleError', 'BlobError'])
const unsent = new Set(['ClientClosedError', 'ClientOfflineError'])

/** The error that ioredis would give: a refusal of the server by name, and what was not sent told as that. */
export function inOtherWords(error: unknown): Error {
  if (!isError(error)) return new Error('The driver rejected with a value that is not an Error.')
  const kind = error.constructor.name
  if (replies.has(kind)) return Object.assign(new Error(error.message), { name: 'ReplyError' })
  const cause = causeOf(error)
  if (unsent.has(kind))
    return new StoreError('UNAVAILABLE', 'The connection to Redis could not be used; nothing was sent.', {
      cause,
    })
  if (error.message === 'The queue is full')
    return new StoreError('OVERLOADED', 'The command queue of the client is full; nothing was sent.', {
      cause,
    })
  return cause
}
