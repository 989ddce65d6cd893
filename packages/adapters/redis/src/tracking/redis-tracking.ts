import type { AnyStore } from '@unikv/core'
import { any, ms, type OptionsOf, readOptions, StoreError } from '@unikv/core/adapter'
import { parseUrl } from '../client/redis-url.ts'
import type { RedisTracking, RedisTrackingListener } from './tracking-bus.ts'
import { TrackingMember } from './tracking-member.ts'
import { sourceOf } from './tracking-source.ts'

const table = {
  /**
   * The server of the store, by another address or another user: `redis[s]://[user:password@]host[:port]`.
   *
   * @default that of the store; needed for a store with a `client` of yours
   */
  url: any<string>(),
  /** How long it may take until keys are tracked, after a connection was lost too. @default 5,000 */
  connectTimeoutMs: ms(5_000),
  /** How long a ping may be on its way before the connections are opened anew. @default 5,000 */
  silenceMs: ms(5_000),
  /**
   * Is told when the server refuses: a user without the permission, a cluster, a server without CLIENT TRACKING, a driver
   * that is not installed. Told once until it is another reason. Until then entries are revalidated.
   *
   * @default process.emitWarning
   */
  onRefused: any<(error: StoreError) => void>(),
}

/** Settings of a tracker. */
export interface RedisTrackingOptions extends OptionsOf<typeof table> {}

/**
 * Redis' server-assisted client-side caching: the server tells which keys of a store were changed, by any client, or
 * expired or were evicted.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option, a cluster, or what `redis()` has not made
 */
export function redisTracking(store: AnyStore, options: RedisTrackingOptions = {}): RedisTracking {
  const { url, connectTimeoutMs, silenceMs, onRefused = warn } = readOptions('redisTracking', table, options)
  const source = sourceOf(store)
  if (source === undefined)
    throw invalid('Pass redisTracking the store that redis() returned, without layers and namespaces.')
  const target = url === undefined ? source.target : parseUrl(url)
  if (source.isCluster || target?.cluster === true)
    throw invalid(
      "Redis tracks the keys of a single server, not of a cluster. Use freshForMs or localTier: 'validated' of the cache.",
    )
  if (target === undefined)
    throw invalid('The store was opened with a client: pass redisTracking the url of its server.')
  const { driver, prefix } = source
  const settings = { place: { driver, target, connectTimeoutMs, prefix }, silenceMs, onRefused }
  return Object.freeze({
    name: 'redis' as const,
    storeTells: true as const,
    join: (listener: RedisTrackingListener) => new TrackingMember(settings, listener),
  })
}

function warn(error: StoreError): void {
  process.emitWarning(error.message, { code: error.code })
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
