import { any, ms, type OptionsOf, readOptions, StoreError } from '@unikv/core/adapter'
import { clearTimeout, performance, setImmediate, setTimeout } from '@unikv/core/platform'
import type { Redis } from 'ioredis'
import { translate } from '../errors.ts'
import { Reconnecting } from './reconnecting.ts'
import { type Driver, loadDriver, openClient } from './redis-client.ts'
import { parseUrl, type Target } from './redis-url.ts'

const table = {
  /** `redis[s]://[user:password@]host[:port]`. One server: on a cluster messages have no common order. */
  url: any<string>(),
  /** Channel of the messages: all processes on one channel hear each other. Give each cached dataset its own. */
  channel: channelName,
  /** How long it may take until messages come. @default 5,000 */
  connectTimeoutMs: ms(5_000),
  /** How long a message to oneself may be on its way before the connection is opened anew. @default 5,000 */
  silenceMs: ms(5_000),
}

/** Settings of a channel. */
export interface RedisPubSubOptions extends OptionsOf<typeof table> {}

/** Messages to all connected processes: the transport that `pubSubBus` and `cache({ bus })` of `@unikv/cache` take. */
export interface RedisPubSub {
  readonly name: 'redis'
  /** Connect, and again whenever the connection is lost. */
  connect(events: RedisPubSubEvents): RedisPubSubConnection
}

/** Events of a connection. */
export interface RedisPubSubEvents {
  /** From now on all messages come. */
  up(): void
  /** From now on none comes, until `up`. */
  down(): void
  /** The next one, in the order of the channel. */
  message(text: string): void
}

/** A connection of one process: two of the driver, one that publishes and one that listens. */
export interface RedisPubSubConnection {
  /** Resolves when Redis has taken the message. */
  publish(text: string): Promise<void>
  /** Connect no more. */
  close(): Promise<void>
}

/**
 * A channel of Redis PUBLISH and SUBSCRIBE. Connections are opened when a cache joins, and again whenever they are lost.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option
 */
export function redisPubSub(options: RedisPubSubOptions): RedisPubSub {
  const { url = 'redis://127.0.0.1:6379', ...settings } = readOptions('redisPubSub', table, options)
  const target = parseUrl(url)
  if (target.cluster)
    throw new StoreError(
      'INVALID_CONFIG',
      'A bus needs a single Redis server, because a cluster does not keep messages in order.',
    )
  return Object.freeze({
    name: 'redis' as const,
    connect: (events: RedisPubSubEvents) => new Channel(target, settings, events),
  })
}

function channelName(channel: string): string {
  if (typeof channel === 'string' && channel !== '') return channel
  throw new StoreError('INVALID_CONFIG', 'The channel needs a name, a different one for each cached dataset.')
}

interface Settings {
  readonly channel: string
  readonly connectTimeoutMs: number
  readonly silenceMs: number
}

class Channel implements RedisPubSubConnection {
  readonly #target: Target
  readonly #settings: Settings
  readonly #events: RedisPubSubEvents
  readonly #lives: Reconnecting
  #publisher: Redis | undefined
  #subscriber: Redis | undefined
  /** When a message was published that has not come back. */
  #waitingSince: number | undefined

  constructor(target: Target, settings: Settings, events: RedisPubSubEvents) {
    this.#target = target
    this.#settings = settings
    this.#events = events
    this.#lives = new Reconnecting((signal) => this.#once(signal))
  }

  async publish(text: string): Promise<void> {
    const publisher = this.#publisher
    if (publisher?.status !== 'ready')
      throw new StoreError('UNAVAILABLE', 'The channel is not connected; nothing was published.')
    this.#watch()
    try {
      await publisher.publish(this.#settings.channel, text)
      this.#waitingSince ??= performance.now()
    } catch (error) {
      throw translate(error, true)
    }
  }

  async close(): Promise<void> {
    const closed = this.#lives.close()
    this.#hangUp()
    await closed
  }

  /** Watches that published messages come back: they do unless the connection is dead. */
  #watch(): void {
    if (this.#waitingSince === undefined) return
    if (performance.now() - this.#waitingSince > this.#settings.silenceMs) this.#hangUp()
  }

  #hangUp(): void {
    this.#publisher?.disconnect()
    this.#subscriber?.disconnect()
  }

  /** One life of both connections; whether they were ever up. */
  async #once(signal: AbortSignal): Promise<boolean> {
    const driver = await loadDriver()
    const publisher = this.#open(driver)
    const subscriber = this.#open(driver)
    const ended = [onceEnded(publisher), onceEnded(subscriber)]
    this.#publisher = publisher
    this.#subscriber = subscriber
    this.#waitingSince = undefined
    let isUp = false
    // The driver bounds the connection alone, not what it asks and subscribes to after that.
    const late = setTimeout(() => this.#hangUp(), this.#settings.connectTimeoutMs).unref()
    try {
      if (signal.aborted) return false
      await Promise.all([publisher.connect(), subscriber.connect()])
      subscriber.on('message', (_channel, text) => this.#heard(text))
      await subscriber.subscribe(this.#settings.channel)
      isUp = true
      clearTimeout(late)
      this.#events.up()
      await Promise.race(ended)
    } finally {
      clearTimeout(late)
      if (isUp) this.#events.down()
      this.#hangUp()
      await Promise.all(ended)
    }
    return isUp
  }

  #heard(text: string): void {
    this.#waitingSince = undefined
    this.#events.message(text)
  }

  #open(driver: Driver): Redis {
    const client = openClient(driver, this.#target, this.#settings.connectTimeoutMs) as Redis
    // Its end reports the error.
    client.on('error', () => {})
    return client
  }
}

/** A connection that was never opened has no end to wait for. */
function onceEnded(client: Redis): Promise<void> {
  return new Promise((resolve) => {
    client.once('end', resolve)
    client.once('close', () => setImmediate(() => client.status === 'wait' && resolve()))
  })
}
