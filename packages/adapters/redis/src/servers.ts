import type { CallOptions } from '@unikv/core'
import { closed } from '@unikv/core/adapter'
import { type Maker, makerOf } from './client/maker.ts'
import { isCluster, type Link, type RedisConnection } from './client/redis-client.ts'
import { Dialer, hangUp, inTime, isReady } from './client/redis-connection.ts'
import { ServerSettings } from './client/server-settings.ts'
import type { RedisSettings } from './options.ts'
import { SilenceWatch } from './tracking/silence-watch.ts'

/** The client of a store: made when it is needed, connected where it is not, and given up when its server is silent. */
export class Servers {
  /** Opens connections to nodes of a cluster. Nodes that ended leave the client of the cluster, which makes new ones. */
  readonly nodes: Dialer = new Dialer(false)
  readonly #dialer: Dialer
  readonly #maker: Maker
  readonly #settings: ServerSettings
  readonly #socketTimeoutMs: number
  #link: Link | undefined
  #watch: SilenceWatch | undefined
  #isClosed = false

  constructor(settings: RedisSettings) {
    const { source, connectTimeoutMs, socketTimeoutMs } = settings
    this.#settings = new ServerSettings(settings)
    this.#dialer = new Dialer('target' in source, connectTimeoutMs)
    this.#maker = makerOf(source, connectTimeoutMs)
    this.#socketTimeoutMs = socketTimeoutMs
  }

  /** The driver's own client, made if there is none yet. */
  get native(): unknown {
    this.#link ??= this.#made(this.#maker.now)
    return this.#link.native
  }

  /** Make the client, if there is none yet. Nothing is connected. */
  async open(): Promise<Link> {
    const make = await this.#maker.load()
    // The driver of a client that was handed in is known only now.
    if (this.#link === undefined || !this.#maker.isOurs) this.#link = this.#made(make)
    return this.#link
  }

  /** Whether a command can go out now, on this connection of the client. Something is about to be sent. */
  isReady(connection: RedisConnection, call: CallOptions): boolean {
    return this.#watch?.awake(call) !== false && isReady(connection) && !this.#isToAsk(connection)
  }

  /**
   * Resolves when a command can go out on this connection of the client.
   *
   * @throws {StoreError} `UNAVAILABLE`, `ACCESS_DENIED`, `INVALID_CONFIG`, `TIMEOUT`, `ABORTED` or `CLOSED`; nothing was sent
   */
  async ready(connection: RedisConnection, call: CallOptions): Promise<void> {
    if (this.#isClosed) throw closed()
    if (this.#watch?.awake(call) === false) await inTime(this.#watch.settled(), call)
    const dialer = connection === this.#link?.connection ? this.#dialer : this.nodes
    await dialer.ready(connection, call)
    if (this.#isToAsk(connection)) await inTime(this.#settings.compare(connection), call)
    if (this.#isClosed) throw closed()
  }

  /** Connect to nothing any more, and end the client, unless it was handed in. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#watch?.stop()
    this.#dialer.stop()
    if (this.#link !== undefined && this.#maker.isOurs) await hangUp(this.#link.connection)
  }

  /** Whether the server has not told yet what the options state; nodes of a cluster speak for each other. */
  #isToAsk(connection: RedisConnection): boolean {
    return connection === this.#link?.connection && !this.#settings.isCompared(connection)
  }

  #made(make: () => Link): Link {
    if (this.#isClosed) throw closed()
    const link = make()
    const { connection } = link
    if (this.#maker.isOurs)
      this.#watch = new SilenceWatch(
        () => (isCluster(connection) ? connection.nodes('all') : [connection]),
        this.#socketTimeoutMs,
      )
    return link
  }
}
