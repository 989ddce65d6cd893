import type { RedisSource } from '../options.ts'
import {
  isNodeRedis,
  linkNodeRedis,
  loadNodeRedis,
  type NodeRedisDriver,
  openNodeRedis,
  requireNodeRedis,
} from './node-redis-client.ts'
import { type Driver, type Link, loadDriver, openLink, requireDriver } from './redis-client.ts'

/** Makes the client of a store. */
export interface Maker {
  /** Clients are made for this store, which ends them. */
  readonly isOurs: boolean
  /** Load the driver; what this resolves to makes a client. */
  load(): Promise<() => Link>
  /** Make a client at once. */
  readonly now: () => Link
}

/** Makes the client of this source; a client that was handed in is returned as it is. */
export function makerOf(source: RedisSource, connectTimeoutMs: number): Maker {
  if ('client' in source) return handedIn(source.client)
  const { target, driver } = source
  return driver === 'node-redis'
    ? made<NodeRedisDriver>(loadNodeRedis, requireNodeRedis, (loaded) =>
        openNodeRedis(loaded, target, connectTimeoutMs),
      )
    : made<Driver>(loadDriver, requireDriver, (loaded) => openLink(loaded, target, connectTimeoutMs))
}

function made<D>(load: () => Promise<D>, loadNow: () => D, open: (driver: D) => Link): Maker {
  return {
    isOurs: true,
    load: async () => {
      const driver = await load()
      return () => open(driver)
    },
    now: () => open(loadNow()),
  }
}

function handedIn(client: Extract<RedisSource, { readonly client: unknown }>['client']): Maker {
  if (isNodeRedis(client)) {
    const link = linkNodeRedis(client)
    return { isOurs: false, load: async () => () => link, now: () => link }
  }
  const link: Link = { native: client, connection: client }
  return {
    isOurs: false,
    load: async () => {
      // Loaded already by the code that made the client; without it all works too, a little slower.
      const driver = await loadDriver().catch(() => undefined)
      return () => ({ ...link, driver })
    },
    now: () => link,
  }
}
