import type {
  Bytes,
  CallOptions,
  Capabilities,
  Mutation,
  Pages,
  Read,
  ReadResult,
  ScanRange,
  Store,
  WriteResult,
} from '@unikv/core'
import {
  checkFactoryOptions,
  closed,
  datasetName,
  endOf,
  movingPages,
  type OptionNames,
} from '@unikv/core/adapter'
import type { Cluster, Redis } from 'ioredis'
import {
  checkNodeRedis,
  isNodeRedis,
  linkNodeRedis,
  loadNodeRedis,
  openNodeRedis,
  requireNodeRedis,
} from './client/node-redis-client.ts'
import type { NodeRedisClient } from './client/node-redis-connection.ts'
import {
  checkClient,
  type Driver,
  type Link,
  loadDriver,
  openClient,
  type RedisClusterConnection,
  type RedisConnection,
  requireDriver,
} from './client/redis-client.ts'
import { Dialer, hangUp, inTime, isReady } from './client/redis-connection.ts'
import { parseNodes, parseUrl, type Target } from './client/redis-url.ts'
import { readCluster, writeCluster } from './cluster/redis-cluster.ts'
import type { Dataset } from './dataset.ts'
import { raw, records } from './format.ts'
import { clusterLayout, singleLayout } from './layout.ts'
import { capabilitiesOf, checkOptions, type RedisOptions, type RedisStore } from './options.ts'
import { type Layout, scanShards } from './scan.ts'
import { readFrom } from './server/read.ts'
import { asksReplicas, writeReplicated } from './server/replicas.ts'
import { writeTo } from './server/write.ts'
import { SilenceWatch } from './tracking/silence-watch.ts'
import { noteSource } from './tracking/tracking-source.ts'

const optionNames: OptionNames<RedisOptions> = {
  url: true,
  cluster: true,
  client: true,
  driver: true,
  dataset: true,
  values: true,
  durability: true,
  evicts: true,
  replicas: true,
  connectTimeoutMs: true,
  socketTimeoutMs: true,
  name: true,
}

/**
 * Records in Redis, Valkey or a Redis Cluster, by ioredis or node-redis, which is loaded and connected by the first
 * call.
 *
 * A record is a string at `dataset:key`: header, then body. Batches take one round trip (a cluster: one a node),
 * conditions are checked by scripts on the server, records expire by the server's clock.
 *
 * @throws {StoreError} `INVALID_CONFIG` for wrong options, or a client that may send a command twice
 */
export function redis<const O extends RedisOptions = {}>(options?: O): RedisStore<O> {
  checkFactoryOptions('redis', options, optionNames)
  const given: RedisOptions = { ...options }
  checkOptions(given)
  return new Connected(given) as unknown as RedisStore<O>
}

/** The store, and the client that it opens. */
class Connected implements Store<Bytes, Capabilities> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: Capabilities
  readonly #options: RedisOptions
  readonly #connectTimeoutMs: number
  readonly #target: Target | undefined
  #lane: Dataset
  readonly #dialer: Dialer
  /** Nodes that ended leave the client of their cluster, which makes new ones. */
  readonly #nodeDialer = new Dialer(false)
  #link: Link | undefined
  #watch: SilenceWatch | undefined
  #opening: Promise<Link> | undefined
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
    this.#link = client && linkTo(client)
    this.#target =
      client === undefined ? (cluster === undefined ? parseUrl(url) : parseNodes(cluster)) : undefined
    const isCluster =
      this.#target?.cluster ?? (client !== undefined && 'isCluster' in client && client.isCluster)
    this.name = name
    this.dataset = datasetName(
      'redis',
      ...(this.#target?.addresses.map(({ host, port }) => `${host}:${port}`).sort() ?? []),
      this.#target?.db,
      dataset,
    )
    this.capabilities = capabilitiesOf(options, isCluster || hasSentinels(client))
    this.#options = options
    this.#connectTimeoutMs = options.connectTimeoutMs ?? 5_000
    this.#dialer = new Dialer(client === undefined, this.#connectTimeoutMs)
    this.#lane = {
      prefix: `${dataset}:`,
      format: values === 'raw' ? raw : records,
      manyKeys: !isCluster,
      driver: undefined,
    }
    const { prefix } = this.#lane
    noteSource(this, { prefix, isCluster, target: this.#target, driver: options.driver ?? 'ioredis' })
    // Loaded by whoever made the client; without it all works too, a little slower.
    if (client !== undefined && !isNodeRedis(client))
      loadDriver().then(
        (driver) => this.#know(driver),
        () => {},
      )
  }

  get native(): unknown {
    this.#link ??= this.#options.driver === 'node-redis' ? this.#openNodeRedis() : this.#openIoredis()
    return this.#link.native
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const client = this.#readyClient(call)
    if (client !== undefined) return this.#read(client, reads)
    return this.#connected(call).then((connected) => this.#read(connected, reads))
  }

  write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const client = this.#readyClient(call)
    if (client !== undefined) return this.#write(client, mutations, call)
    call.sent = false
    return this.#connected(call).then((connected) => {
      const refusal = endOf(call, true)
      if (refusal !== undefined) throw refusal
      return this.#write(connected, mutations, call)
    })
  }

  scan(range: ScanRange, call: CallOptions): Pages<Bytes> {
    const { prefix, format } = this.#lane
    const open = () => this.#connected(call)
    const pages = scanShards(
      {
        prefix,
        header: format.header,
        layout: async () => layoutOf(await open()),
        ready: async (connection) => {
          if (this.#watch?.awake(call) === false) await inTime(this.#watch.settled(), call)
          await (this.#lane.manyKeys ? this.#dialer : this.#nodeDialer).ready(connection, call)
        },
        read: async (reads) => this.#read(await open(), reads),
      },
      range,
    )
    return movingPages(this.name, false, range, pages)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#watch?.stop()
    this.#dialer.stop()
    await this.#opening?.catch(() => {})
    if (this.#link !== undefined && this.#options.client === undefined) await hangUp(this.#link.connection)
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
    const replicas = asksReplicas(call) ? this.#options.replicas : undefined
    const lane = replicas === undefined ? this.#lane : { ...this.#lane, replicas }
    if (isCluster(client)) return writeCluster(client, mutations, lane, this.#nodeDialer, call)
    call.sent = true
    if (replicas === undefined) return writeTo(client, mutations, lane)
    return writeReplicated(client, mutations, { ...lane, replicas }, call)
  }

  #readyClient(call: CallOptions): RedisConnection | undefined {
    if (this.#closed) throw closed()
    if (this.#watch?.awake(call) === false) return undefined
    const connection = this.#link?.connection
    return connection !== undefined && isReady(connection) ? connection : undefined
  }

  async #connected(call: CallOptions): Promise<RedisConnection> {
    if (this.#closed) throw closed()
    const { connection } = this.#link ?? (await this.#load())
    if (this.#watch?.awake(call) === false) await inTime(this.#watch.settled(), call)
    await this.#dialer.ready(connection, call)
    if (this.#closed) throw closed()
    return connection
  }

  #load(): Promise<Link> {
    this.#opening ??= this.#loaded().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #loaded(): Promise<Link> {
    const open =
      this.#options.driver === 'node-redis'
        ? await loadNodeRedis().then((driver) => () => this.#openNodeRedis(driver))
        : await loadDriver().then((driver) => () => this.#openIoredis(driver))
    this.#link ??= open()
    return this.#link
  }

  #know(driver: Driver): void {
    this.#lane = { ...this.#lane, driver }
  }

  #openIoredis(driver: Driver = requireDriver()): Link {
    if (this.#closed) throw closed()
    const client = openClient(driver, this.#target as Target, this.#connectTimeoutMs)
    this.#know(driver)
    // Whoever makes a call is told; without a listener ioredis would print errors.
    client.on('error', () => {})
    return this.#watched({ native: client, connection: client })
  }

  #openNodeRedis(driver = requireNodeRedis()): Link {
    if (this.#closed) throw closed()
    return this.#watched(openNodeRedis(driver, this.#target as Target, this.#connectTimeoutMs))
  }

  #watched(link: Link): Link {
    const { socketTimeoutMs = 10_000 } = this.#options
    this.#watch = new SilenceWatch(() => connectionsOf(link.connection), socketTimeoutMs)
    return link
  }
}

function linkTo(client: Redis | Cluster | NodeRedisClient): Link {
  if (isNodeRedis(client)) {
    checkNodeRedis(client)
    return linkNodeRedis(client)
  }
  checkClient(client)
  return { native: client, connection: client }
}

function isCluster(client: RedisConnection): client is RedisClusterConnection {
  return 'slots' in client
}

function connectionsOf(client: RedisConnection): readonly RedisConnection[] {
  return isCluster(client) ? client.nodes('all') : [client]
}

function hasSentinels(client: RedisOptions['client']): boolean {
  const { sentinels } = ((client as { readonly options?: object } | undefined)?.options ?? {}) as {
    readonly sentinels?: unknown
  }
  return sentinels != null
}

function layoutOf(client: RedisConnection): Layout | Promise<Layout> {
  return isCluster(client) ? clusterLayout(client) : singleLayout(client)
}
