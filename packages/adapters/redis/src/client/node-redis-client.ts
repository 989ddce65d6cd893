import { cannotLoad, isBundled, requireFrom, StoreError } from '@unikv/core/adapter'
import { type NodeRedisClient, NodeRedisConnection } from './node-redis-connection.ts'
import type { Link } from './redis-client.ts'
import type { Target } from './redis-url.ts'

/** Part of the module `redis` that this store needs. */
export interface NodeRedisDriver {
  createClient(options: object): NodeRedisSubscriber
}

/** A client that can listen to a channel. */
export interface NodeRedisSubscriber extends NodeRedisClient {
  subscribe(channel: string, listener: (message: unknown) => void, asBytes: true): Promise<unknown>
}

/** The driver, loaded by the first call. */
export async function loadNodeRedis(): Promise<NodeRedisDriver> {
  try {
    return await import('redis')
  } catch (cause) {
    throw cannotLoad('redis', cause)
  }
}

/** The driver, for a caller that asks for the native client before the first call. */
export function requireNodeRedis(): NodeRedisDriver {
  try {
    // As for ioredis.
    const here = import.meta.url
    return (
      isBundled() && typeof require === 'function' ? require('redis') : requireFrom(here)('redis')
    ) as NodeRedisDriver
  } catch (cause) {
    throw cannotLoad('redis', cause)
  }
}

/** A client that never sends anything twice, and opens a connection only when a call needs one; `RESP` is the protocol. */
export function openNodeRedis(
  driver: NodeRedisDriver,
  target: Target,
  connectTimeoutMs: number,
  RESP: 2 | 3 = 3,
): Link & { readonly native: NodeRedisSubscriber } {
  const { addresses, tls, username, password, db } = target
  const [{ host, port, path }] = addresses as [Target['addresses'][number]]
  const place = path === undefined ? { host, port, tls } : { path, tls: false as const }
  const client = driver.createClient({
    socket: { ...place, connectTimeout: connectTimeoutMs, reconnectStrategy: false },
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    database: db,
    RESP,
    disableOfflineQueue: true,
    // Costs two commands for each connection, and says no more than a name.
    disableClientInfo: true,
    maintNotifications: 'disabled',
  })
  // The calls are told of it; without a listener an error would end the process.
  client.on('error', () => {})
  return { native: client, connection: new NodeRedisConnection(client, { host, port, tls }, true) }
}

/** A client of node-redis that was handed in. */
export function linkNodeRedis(client: NodeRedisClient): Link {
  return { native: client, connection: new NodeRedisConnection(client, addressIn(client), false) }
}

/** Whether something is a client of node-redis, of any kind. */
export function isNodeRedis(client: object): client is NodeRedisClient {
  return 'isOpen' in client && 'sendCommand' in client && !('isCluster' in client)
}

/**
 * Refuse a client of node-redis with which this store could not keep its word.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkNodeRedis(client: NodeRedisClient): void {
  if (!('isReady' in client && 'socketEpoch' in client))
    throw new StoreError(
      'INVALID_CONFIG',
      'A node-redis client must be for one server. For a cluster or Sentinel, pass an ioredis client.',
    )
  const { keyPrefix, clientSideCache } = optionsOf(client)
  if (keyPrefix !== undefined && keyPrefix !== '')
    throw new StoreError(
      'INVALID_CONFIG',
      'Create the node-redis client without keyPrefix, which listing does not see. Use the option dataset.',
    )
  if (clientSideCache !== undefined)
    throw new StoreError(
      'INVALID_CONFIG',
      'Create the node-redis client without clientSideCache. Use the cache layer instead.',
    )
}

interface Options {
  readonly keyPrefix?: unknown
  readonly clientSideCache?: unknown
  readonly socket?: { readonly host?: unknown; readonly port?: unknown; readonly tls?: unknown } | undefined
}

function optionsOf(client: object): Options {
  return (client as { readonly options?: Options }).options ?? {}
}

/** For errors. */
function addressIn(client: NodeRedisClient): object {
  const { host = 'localhost', port = 6379, tls } = optionsOf(client).socket ?? {}
  return { host, port, tls }
}
