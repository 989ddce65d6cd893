import {
  type Bytes,
  type CallOptions,
  type Capabilities,
  type Mutation,
  type Pages,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import type { Cluster, Redis } from 'ioredis'
import {
  checkClient,
  type Driver,
  loadDriver,
  openClient,
  type RedisClusterConnection,
  type RedisConnection,
  requireDriver,
} from './redis-client.ts'
import { readCluster, writeCluster } from './redis-cluster.ts'
import { Dialer, hangUp, isReady } from './redis-connection.ts'
import { raw, records } from './redis-format.ts'
import { clusterLayout, singleLayout } from './redis-layout.ts'
import { capabilitiesOf, checkOptions, type RedisOptions, type RedisStore } from './redis-options.ts'
import { type Lane, readFrom } from './redis-read.ts'
import { type Layout, scanShards } from './redis-scan.ts'
import { parseNodes, parseUrl, type Target } from './redis-url.ts'
import { withOwnValue, writeTo } from './redis-write.ts'
import { SilenceWatch } from './silence-watch.ts'

/**
 * Records in Redis, Valkey or a Redis Cluster, by ioredis, which is loaded and connected by the first call.
 *
 * A record is a string at `dataset:key`: header, then body. Batches take one round trip (a cluster: one a node),
 * conditions are checked by scripts on the server, records expire by the server's clock.
 *
 * @throws {StoreError} `INVALID_CONFIG` for wrong options, or a client that may send a command twice
 */
export function redis<const O extends RedisOptions = {}>(options?: O): RedisStore<O> {
  const given: RedisOptions = { ...options }
  checkOptions(given)
  return new Connected(given) as unknown as RedisStore<O>
}

/** The store, and the client that it opens. */
class Connected implements Store<Bytes, Capabilities, Redis | Cluster> {
  readonly name: string
  readonly capabilities: Capabilities
  readonly #options: RedisOptions
  readonly #target: Target | undefined
  #lane: Lane
  readonly #dialer: Dialer
  /** Nodes that ended leave the client of their cluster, which makes new ones. */
  readonly #nodeDialer = new Dialer(false)
  #client: Redis | Cluster | undefined
  #watch: SilenceWatch | undefined
  #opening: Promise<Redis | Cluster> | undefined
  #closed = false

  constructor(options: RedisOptions) {
    const {
      client,
      cluster,
      url = 'redis://127.0.0.1:6379',
      dataset = 'unikv',
      values,
      name = 'redis',
    } = options
    if (client !== undefined) checkClient(client)
    this.#target =
      client === undefined ? (cluster === undefined ? parseUrl(url) : parseNodes(cluster)) : undefined
    const isCluster = client?.isCluster ?? this.#target?.cluster === true
    this.name = name
    this.capabilities = capabilitiesOf(options, isCluster || hasSentinels(client))
    this.#options = options
    this.#client = client
    this.#dialer = new Dialer(client === undefined)
    this.#lane = {
      prefix: `${dataset}:`,
      format: values === 'raw' ? raw : records,
      manyKeys: !isCluster,
      driver: undefined,
    }
    // Loaded by whoever made the client; without it all works too, a little slower.
    if (client !== undefined)
      loadDriver().then(
        (driver) => this.#know(driver),
        () => {},
      )
  }

  get native(): Redis | Cluster {
    return this.#client ?? this.#open(requireDriver())
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const client = this.#readyClient()
    if (client !== undefined) return this.#read(client, reads)
    return this.#connected(call).then((connected) => this.#read(connected, reads))
  }

  write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const client = this.#readyClient()
    if (client !== undefined) return this.#write(client, mutations, call)
    call.sent = false
    const kept = mutations.map(withOwnValue)
    return this.#connected(call).then((connected) => this.#write(connected, kept, call))
  }

  scan(range: ScanRange, call: CallOptions): Pages<Bytes> {
    const { prefix, format } = this.#lane
    const open = () => this.#connected(call)
    return scanShards(
      {
        prefix,
        header: format.header,
        layout: async () => layoutOf(await open()),
        ready: (connection) => {
          this.#watch?.awake()
          return (this.#lane.manyKeys ? this.#dialer : this.#nodeDialer).ready(connection, call)
        },
        read: async (reads) => this.#read(await open(), reads),
      },
      range,
    )
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#watch?.stop()
    this.#dialer.stop()
    await this.#opening?.catch(() => {})
    const client = this.#client
    if (client !== undefined && client !== this.#options.client) await hangUp(client)
  }

  #read(client: RedisConnection, reads: readonly Read[]): Promise<readonly ReadResult<Bytes>[]> {
    if (isCluster(client)) return readCluster(client, reads, this.#lane)
    return readFrom(client, reads, this.#lane)
  }

  #write(
    client: RedisConnection,
    mutations: readonly Mutation<Bytes>[],
    call: CallOptions,
  ): Promise<readonly WriteResult[]> {
    if (isCluster(client)) return writeCluster(client, mutations, this.#lane, this.#nodeDialer, call)
    call.sent = true
    return writeTo(client, mutations, this.#lane)
  }

  #readyClient(): RedisConnection | undefined {
    if (this.#closed) throw closed()
    this.#watch?.awake()
    return this.#client !== undefined && isReady(this.#client) ? this.#client : undefined
  }

  async #connected(call: CallOptions): Promise<RedisConnection> {
    const client = this.#client ?? (await this.#load())
    this.#watch?.awake()
    await this.#dialer.ready(client, call)
    if (this.#closed) throw closed()
    return client
  }

  #load(): Promise<Redis | Cluster> {
    this.#opening ??= loadDriver()
      .then((driver) => this.#client ?? this.#open(driver))
      .finally(() => {
        this.#opening = undefined
      })
    return this.#opening
  }

  #know(driver: Driver): void {
    this.#lane = { ...this.#lane, driver }
  }

  #open(driver: Driver): Redis | Cluster {
    if (this.#closed) throw closed()
    const { connectTimeoutMs = 5_000, socketTimeoutMs = 10_000 } = this.#options
    this.#know(driver)
    const client = openClient(driver, this.#target as Target, connectTimeoutMs)
    // Whoever makes a call is told; without a listener ioredis would print errors.
    client.on('error', () => {})
    this.#client = client
    this.#watch = new SilenceWatch(() => connectionsOf(client), socketTimeoutMs)
    return client
  }
}

function isCluster(client: RedisConnection): client is RedisClusterConnection {
  return 'slots' in client
}

function connectionsOf(client: RedisConnection): readonly RedisConnection[] {
  return isCluster(client) ? client.nodes('all') : [client]
}

function hasSentinels(client: Redis | Cluster | undefined): boolean {
  return client !== undefined && 'sentinels' in client.options && client.options.sentinels != null
}

function layoutOf(client: RedisConnection): Layout | Promise<Layout> {
  return isCluster(client) ? clusterLayout(client) : singleLayout(client)
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'This store is closed. Open a new one.')
}
