import { cannotLoad, isBundled, requireFrom, StoreError } from '@unikv/core/adapter'
import type { Cluster, Command, Redis, RedisOptions } from 'ioredis'
import { isUseless } from '../errors.ts'
import type { Target } from './redis-url.ts'

/** The part of an ioredis connection that this store uses. */
export interface RedisConnection {
  readonly status: string
  readonly stream?: RedisStream | undefined
  /** Commands that wait for their replies. */
  readonly commandQueue?: { readonly length: number } | undefined
  readonly options: object
  /** State of a client of ioredis. */
  readonly condition?: { readonly select?: number } | null | undefined
  connect(): Promise<void>
  disconnect(): void
  on(event: string, listener: (error?: unknown) => void): unknown
  off(event: string, listener: (error?: unknown) => void): unknown
  getBuffer(key: string): Promise<Buffer | null>
  callBuffer(command: string, args: (string | Buffer)[]): Promise<unknown>
  pipeline(): RedisPipeline
}

/** A connection that takes commands which are encoded already. */
export interface EncodedConnection extends RedisConnection {
  sendCommand(command: Command): unknown
}

/** The part of its socket that this store looks at. */
export interface RedisStream {
  readonly writable: boolean
  readonly bytesRead: number
  destroy(error: Error): unknown
}

/** Where a connection goes; without a host it is a whole cluster. */
export function addressOf({ options }: RedisConnection): Address {
  return options
}

/** The address for messages. */
export function addressText(connection: RedisConnection): string {
  const { host, port } = addressOf(connection)
  if (host === undefined) return 'any node of the cluster'
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

interface Address {
  readonly host?: string
  readonly port?: number
  /** Number of the database. */
  readonly db?: number
  /** As the drivers have it: settings, or whether there is any. */
  readonly tls?: unknown
}

/** Commands that go out together. */
export interface RedisPipeline {
  callBuffer(command: string, args: (string | Buffer)[]): unknown
  exec(): Promise<[error: Error | null, result: unknown][] | null>
}

/** Send one command. */
export function callBuffer(
  connection: RedisConnection,
  command: string,
  args: (string | Buffer)[],
): Promise<unknown> {
  const { enableAutoPipelining } = connection.options as RedisOptions
  return enableAutoPipelining === true
    ? callInPipeline(connection.pipeline(), command, args)
    : connection.callBuffer(command, args)
}

/**
 * The way by which a client that makes pipelines by itself keeps the name of the command.
 *
 * @see https://github.com/redis/ioredis/issues/1923
 */
async function callInPipeline(
  pipeline: RedisPipeline,
  command: string,
  args: (string | Buffer)[],
): Promise<unknown> {
  pipeline.callBuffer(command, args)
  const [error, reply] = (await pipeline.exec())?.[0] ?? [new Error('The pipeline gave no reply.')]
  if (error !== null) throw error
  return reply
}

/** The part of an ioredis cluster client that this store uses. */
export interface RedisClusterConnection extends RedisConnection {
  /** Nodes by slot as `host:port`, the master first. */
  readonly slots: readonly (readonly string[] | undefined)[]
  nodes(role: 'all' | 'master'): RedisConnection[]
}

/** Whether a client is one for a cluster. */
export function isCluster(client: RedisConnection): client is RedisClusterConnection {
  return 'slots' in client
}

/** A client, and how this store speaks to it. */
export interface Link {
  /** The driver's own client. */
  readonly native: unknown
  readonly connection: RedisConnection
  /** For commands that are encoded already: ioredis, once it is loaded. */
  readonly driver?: Driver | undefined
}

/** The part of the module `ioredis` that this store needs. */
export interface Driver {
  readonly Redis: typeof Redis
  readonly Cluster: typeof Cluster
}

/** The driver, loaded by the first call: importing it costs some 50 ms. */
export async function loadDriver(): Promise<Driver> {
  try {
    return await import('ioredis')
  } catch (cause) {
    throw cannotLoad('ioredis', cause)
  }
}

/** The driver, for a caller that asks for the native client before the first call. */
export function requireDriver(): Driver {
  try {
    // Bundlers have `require`, and take its literal name for a package that belongs to the bundle, and one that may be
    // missing where it stands in the `try` itself. Elsewhere it may be a global, as `node -e` has it, which looks from
    // another place.
    const here = import.meta.url
    return (
      isBundled() && typeof require === 'function' ? require('ioredis') : requireFrom(here)('ioredis')
    ) as Driver
  } catch (cause) {
    throw cannotLoad('ioredis', cause)
  }
}

/** A client of `openClient`, which prints no errors. */
export function openLink(driver: Driver, target: Target, connectTimeoutMs: number): Link {
  const client = openClient(driver, target, connectTimeoutMs)
  // The calls are told of it; without a listener ioredis would print errors.
  client.on('error', () => {})
  return { native: client, connection: client, driver }
}

/**
 * A client that never sends anything twice, and that opens no connection by itself: the first call does, and
 * after a lost connection the next one, so that nothing runs between calls.
 */
export function openClient(driver: Driver, target: Target, connectTimeoutMs: number): Redis | Cluster {
  return target.cluster
    ? openCluster(driver, target, connectTimeoutMs)
    : openSingle(driver, target, connectTimeoutMs)
}

/** A client for one server, as `openClient` makes it; `protocol` is that of RESP. */
export function openSingle(
  { Redis }: Driver,
  target: Target,
  connectTimeoutMs: number,
  protocol: 2 | 3 = 3,
): Redis {
  const [address] = target.addresses
  return new Redis({
    ...(address?.path === undefined ? address : { path: address.path }),
    ...shared(target, connectTimeoutMs),
    db: target.db,
    protocol,
    lazyConnect: true,
    retryStrategy: null,
    reconnectOnError: isUseless,
  })
}

function openCluster({ Cluster }: Driver, target: Target, connectTimeoutMs: number): Cluster {
  return new Cluster([...target.addresses], {
    lazyConnect: true,
    enableReadyCheck: false,
    clusterRetryStrategy: null,
    slotsRefreshTimeout: connectTimeoutMs,
    // With a delay, a command whose reply was lost would be sent again.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // Certificates carry the names of hosts, not their addresses.
    ...(target.tls ? { dnsLookup: (host, found) => found(null, host) } : {}),
    redisOptions: shared(target, connectTimeoutMs),
  })
}

function shared({ username, password, tls }: Target, connectTimeoutMs: number) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: 200,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // The check asks INFO, which costs a round trip and a permission. A server that loads says so itself.
    enableReadyCheck: false,
  }
}

/**
 * Refuse a client with which this store could not keep its word.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkClient(client: Redis | Cluster): void {
  for (const [name, isWrong, reason] of rules) {
    if (isWrong(settingsOf(client)))
      throw new StoreError('INVALID_CONFIG', `Create the ioredis client with ${name}: ${reason}.`)
  }
}

type Settings = Readonly<Record<string, unknown>> & { readonly isCluster: boolean }

function settingsOf({ options, isCluster }: Redis | Cluster): Settings {
  const { redisOptions } = options as { readonly redisOptions?: object | undefined }
  return { ...redisOptions, ...options, isCluster }
}

const rules: readonly (readonly [
  setting: string,
  isWrong: (settings: Settings) => boolean,
  reason: string,
])[] = [
  [
    'autoResendUnfulfilledCommands: false',
    ({ isCluster, autoResendUnfulfilledCommands, clusterNodeRetryStrategy }) =>
      autoResendUnfulfilledCommands !== false &&
      (!isCluster || typeof clusterNodeRetryStrategy === 'function'),
    'a write whose reply was lost would take effect twice',
  ],
  [
    'retryDelayOnFailover: 0',
    ({ isCluster, retryDelayOnFailover }) => isCluster && retryDelayOnFailover !== 0,
    'a write whose reply was lost would take effect twice',
  ],
  [
    "scaleReads: 'master'",
    ({ isCluster, scaleReads }) => isCluster && scaleReads !== 'master',
    'replicas may return old values',
  ],
  [
    'no keyPrefix',
    ({ keyPrefix }) => keyPrefix !== undefined && keyPrefix !== '',
    'listing does not see it; use the option dataset',
  ],
]
