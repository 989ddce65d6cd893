import type { Bytes, Store } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import {
  type ForeignParameters,
  flagOf,
  ifTrue,
  instead,
  nothing,
  type Opener,
  type Opening,
  oneOf,
  refuseOthers,
  sameAs,
  translated,
  withCredentials,
} from '@unikv/core/url'
import type { RedisCapabilities } from './capabilities.ts'
import { redis } from './redis.ts'
import { type UpstashStore, upstash } from './upstash/upstash.ts'

const byScheme = instead('Write rediss:// for TLS and redis:// without.')

/** From Upstash, Railway, Heroku, Azure, ElastiCache, and from clients of other languages. */
export const foreignToRedis: ForeignParameters = {
  // Node.js tries addresses of both families.
  family: (value) => (value === '0' ? 'nothing' : { instead: 'Write the address as the host.' }),
  database: sameAs('db'),
  protocol: nothing,
  client_name: nothing,
  // The deadline of a call covers connecting.
  connect_timeout: nothing,
  socket_timeout: nothing,
  timeout: nothing,
  ssl: ifTrue({ instead: 'Write rediss:// for TLS.' }, 'nothing'),
  tls: ifTrue({ instead: 'Write rediss:// for TLS.' }, 'nothing'),
  ssl_cert_reqs: (value) =>
    value === 'required'
      ? 'nothing'
      : { instead: 'Hand a client whose TLS is set up to redis({ client }) of @unikv/redis.' },
  sslmode: byScheme,
}

/** `valkey://` is another name of `redis://`. */
const redisScheme: Readonly<Record<string, string>> = {
  valkey: 'redis',
  valkeys: 'rediss',
  'valkey+cluster': 'redis+cluster',
  'valkeys+cluster': 'rediss+cluster',
  'valkey+unix': 'redis+unix',
}

// Not the store's own type: that needs those of the driver, which may not be installed.

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface RedisByScheme {
  readonly redis: Store<Bytes, RedisCapabilities<'bytes'>>
  readonly rediss: Store<Bytes, RedisCapabilities<'bytes'>>
  readonly 'redis+cluster': Store<Bytes, RedisCapabilities<'bytes'>>
  readonly 'rediss+cluster': Store<Bytes, RedisCapabilities<'bytes'>>
  readonly 'redis+unix': Store<Bytes, RedisCapabilities<'bytes'>>
  readonly valkey: Store<Bytes, RedisCapabilities<'bytes'>>
  readonly valkeys: Store<Bytes, RedisCapabilities<'bytes'>>
  readonly 'valkey+cluster': Store<Bytes, RedisCapabilities<'bytes'>>
  readonly 'valkeys+cluster': Store<Bytes, RedisCapabilities<'bytes'>>
  readonly 'valkey+unix': Store<Bytes, RedisCapabilities<'bytes'>>
  readonly upstash: UpstashStore
  readonly 'upstash+http': UpstashStore
}

/** Makes the store of a URL of Redis. */
export const openRedis: Opener<RedisByScheme> = (opening) => {
  if (opening.scheme.startsWith('upstash')) return openUpstash(opening)
  const { dataset, name, environment } = opening
  const parameters = translated('redis', opening.parameters, foreignToRedis)
  refuseOthers('redis', parameters, ['dataset', 'durability', 'driver', 'db', 'replicas', 'evicts'])
  const durability = oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory'])
  const driver = oneOf(parameters, 'driver', ['ioredis', 'node-redis'])
  const scheme = redisScheme[opening.scheme] ?? opening.scheme
  const rest = scheme + opening.rest.slice(opening.scheme.length)
  const url = withDatabase(withCredentials(rest, scheme, environment), parameters.get('db'))
  const evicts = flagOf(parameters, 'evicts')
  const replicas = replicasOf(parameters.get('replicas'))
  return redis({ url, driver, dataset, durability, evicts, name, replicas })
}

/** `upstash://:token@host` is its REST interface by HTTPS, and `upstash+http://` by HTTP, for servers of tests. */
function openUpstash({ scheme, rest, parameters, dataset, name, environment }: Opening): UpstashStore {
  refuseOthers('upstash', parameters, ['dataset', 'evicts'])
  const plain = scheme === 'upstash' ? 'https' : 'http'
  const url = `${plain}${withCredentials(rest, scheme, environment).slice(scheme.length)}`
  return upstash({ url, dataset, evicts: flagOf(parameters, 'evicts'), name: name ?? 'redis' })
}

/** How many replicas a write of level `replicated` waits for. */
function replicasOf(text: string | null): { readonly wait: number } | undefined {
  if (text === null) return undefined
  if (!/^[1-9]\d{0,2}$/.test(text))
    throw wrong('replicas in a redis URL must be the number of replicas that a write waits for, such as 1.')
  return { wait: Number(text) }
}

/** The number of a database stands in the path; behind a Unix socket it is a parameter. */
function withDatabase(url: string, db: string | null): Opening['rest'] {
  if (db === null) return url
  if (!/^\d{1,5}$/.test(db)) throw wrong('db in a redis URL must be the number of a database, such as 2.')
  if (url.startsWith('redis+unix:')) return `${url}?db=${db}`
  const [, place = url, present = ''] = /^([^:]+:\/\/[^/]*)(?:\/(\d*))?$/s.exec(url) ?? []
  if (present !== '' && present !== db)
    throw wrong('The path and the parameter db of a redis URL name different databases.')
  return `${place}/${db}`
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
