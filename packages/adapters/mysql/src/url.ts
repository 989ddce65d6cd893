import type { Bytes, Store } from '@unikv/core'
import {
  countOf,
  type ForeignParameters,
  flagOf,
  ifTrue,
  instead,
  nothing,
  type Opener,
  oneOf,
  refuseOthers,
  sameAs,
  translated,
  withCredentials,
  withParameters,
} from '@unikv/core/url'
import type { MysqlCapabilities } from './capabilities.ts'
import { mysql } from './mysql.ts'

/** The parts of the URL that the adapter itself reads. */
const own = ['tls', 'socket', 'driver']
const byOption = instead('Give tls to mysql({ url, tls }) of @unikv/mysql.')
const encrypted = ['tls', 'true'] as const

/** Without a certificate that is checked, or with TLS only where it works, is not TLS here. */
function tlsOf(value: string): readonly [string, string] | { readonly instead: string } {
  if (/^(required?|verify[-_](ca|identity|full))$/i.test(value)) return encrypted
  if (/^disabled?$/i.test(value)) return ['tls', 'false']
  return { instead: 'It would send data unencrypted if TLS fails. Write tls=true or tls=false.' }
}

/** From PlanetScale, DigitalOcean, Azure, Railway, Heroku, and from Prisma and drivers of other languages. */
export const foreignToMysql: ForeignParameters = {
  'ssl-mode': tlsOf,
  sslmode: tlsOf,
  sslaccept: (value) => (value === 'strict' ? encrypted : byOption()),
  ssl: (value) =>
    /^(true|1|\{"rejectUnauthorized":true\})$/i.test(value.replace(/\s/g, ''))
      ? encrypted
      : /^(false|0)$/i.test(value)
        ? ['tls', 'false']
        : byOption(),
  usessl: ifTrue(encrypted, ['tls', 'false']),
  sslcert: byOption,
  sslidentity: byOption,
  sslpassword: byOption,
  'ssl-ca': byOption,
  connection_limit: sameAs('maxConnections'),
  connectionlimit: sameAs('maxConnections'),
  // The deadline of a call covers connecting and waiting.
  connect_timeout: nothing,
  pool_timeout: nothing,
  socket_timeout: nothing,
  // unikv writes bytes, and its connections come back by themselves.
  charset: nothing,
  timezone: nothing,
  servertimezone: nothing,
  reconnect: nothing,
}

// Not the store's own type: that needs those of the driver, which may not be installed.

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface MysqlByScheme {
  readonly mysql: Store<Bytes, MysqlCapabilities<false>>
  readonly mariadb: Store<Bytes, MysqlCapabilities<false>>
}

/** Makes the store of a URL of MySQL. */
export const openMysql: Opener<MysqlByScheme> = (opening) => {
  const { scheme, dataset, name, environment, prepare } = opening
  const parameters = translated('mysql', opening.parameters, foreignToMysql)
  refuseOthers('mysql', parameters, ['dataset', 'durability', 'maxConnections', 'lockReads', ...own])
  return mysql({
    url: withCredentials(withParameters({ ...opening, parameters }, own), scheme, environment),
    table: dataset,
    maxConnections: countOf(parameters, 'maxConnections'),
    lockReads: flagOf(parameters, 'lockReads'),
    prepare,
    durability: oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory']),
    name,
  })
}
