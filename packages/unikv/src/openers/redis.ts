import { StoreError } from '@unikv/core'
import { redis } from '@unikv/redis'
import { type ForeignParameters, ifTrue, instead, nothing, sameAs, translated } from './foreign-parameters.ts'
import { type Opener, type Opening, oneOf, refuseOthers, withCredentials } from './opener.ts'

const byScheme = instead('Write rediss:// for TLS and redis:// without.')

/** From Upstash, Railway, Heroku, Azure, ElastiCache, and from clients of other languages. */
export const foreignToRedis: ForeignParameters = {
  // Node.js tries addresses of both families.
  family: (value) =>
    value === '0' ? 'nothing' : { instead: 'Write the address itself in place of the host.' },
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

export const openRedis: Opener = (opening) => {
  const { dataset, name, environment } = opening
  const parameters = translated('redis', opening.parameters, foreignToRedis)
  refuseOthers('redis', parameters, ['dataset', 'durability', 'driver', 'db'])
  const durability = oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory'])
  const driver = oneOf(parameters, 'driver', ['ioredis', 'node-redis'])
  const scheme = redisScheme[opening.scheme] ?? opening.scheme
  const rest = scheme + opening.rest.slice(opening.scheme.length)
  const url = withDatabase(withCredentials(rest, scheme, environment), parameters.get('db'))
  return redis({ url, driver, dataset, durability, name })
}

/** The number of a database stands in the path; behind a Unix socket it is a parameter. */
function withDatabase(url: string, db: string | null): Opening['rest'] {
  if (db === null) return url
  if (!/^\d{1,5}$/.test(db)) throw wrong('db in a redis URL must be the number of a database, such as 2.')
  if (url.startsWith('redis+unix:')) return `${url}?db=${db}`
  const [, place = url, present = ''] = /^([^:]+:\/\/[^/]*)(?:\/(\d*))?$/s.exec(url) ?? []
  if (present !== '' && present !== db)
    throw wrong('A redis URL and its parameter db name different databases.')
  return `${place}/${db}`
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
