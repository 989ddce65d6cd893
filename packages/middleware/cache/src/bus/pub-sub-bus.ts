import { type Awaitable, andThen, newVersion } from '@unikv/core'
import type {
  BusListener,
  BusMember,
  BusWrite,
  InvalidationBus,
  PubSub,
  PubSubConnection,
  PubSubEvents,
} from './bus.ts'
import { decodeMessage, encodeMessage, type Message, type News } from './message.ts'

/** Most processes whose numbers are remembered. */
const maxSenders = 10_000

/** Most keys, or tags, in a message. */
const maxKeys = 1_000

/** A bus over messages to all. A message that is out of order or unreadable is reported as missed. */
export function pubSubBus(transport: PubSub): InvalidationBus {
  return Object.freeze({
    name: transport.name,
    join: (listener: BusListener) => new Member(listener).connect(transport),
  })
}

class Member implements BusMember, PubSubEvents {
  readonly #id = newVersion()
  readonly #listener: BusListener
  declare connection: PubSubConnection
  /** The last number of each sender, those heard of longest ago first. */
  readonly #numbers = new Map<string, number>()
  #number = 0

  constructor(listener: BusListener) {
    this.#listener = listener
  }

  connect(transport: PubSub): Awaitable<Member> {
    return andThen(transport.connect(this), (connection) => {
      this.connection = connection
      return this
    })
  }

  async tell(writes: readonly BusWrite[] | 'all'): Promise<void> {
    if (writes === 'all') return this.#send({ all: true })
    for (let i = 0; i < writes.length; i += maxKeys)
      await this.#send({ writes: writes.slice(i, i + maxKeys) })
  }

  async tellTags(tags: readonly string[]): Promise<void> {
    for (let i = 0; i < tags.length; i += maxKeys) await this.#send({ tags: tags.slice(i, i + maxKeys) })
  }

  async ping(token: number): Promise<void> {
    await this.#send({ echo: token })
  }

  async leave(): Promise<void> {
    await this.connection.close()
  }

  up(): void {
    this.#numbers.clear()
    this.#listener.up()
  }

  down(): void {
    this.#listener.down()
  }

  message(text: string): void {
    const message = decodeMessage(text)
    if (message === undefined) this.#listener.missed()
    else if (message.from !== this.#id) this.#heard(message)
    else if ('echo' in message.news) this.#listener.echo(message.news.echo)
  }

  #heard({ from, number, news }: Message): void {
    const last = this.#numbers.get(from) ?? 0
    this.#note(from, number)
    if (number !== last + 1 || 'all' in news) this.#listener.missed()
    if ('writes' in news) this.#listener.written(news.writes)
    if ('tags' in news) this.#listener.invalidated(news.tags)
  }

  #note(from: string, number: number): void {
    this.#numbers.delete(from)
    this.#numbers.set(from, number)
    if (this.#numbers.size <= maxSenders) return
    const [oldest] = this.#numbers.keys()
    this.#numbers.delete(oldest as string)
  }

  async #send(news: News): Promise<void> {
    this.#number++
    await this.connection.publish(encodeMessage({ from: this.#id, number: this.#number, news }))
  }
}
