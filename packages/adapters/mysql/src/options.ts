import { isIP } from 'node:net'
import {
  any,
  declaredIndexes,
  decoded,
  flag,
  invalidConfig,
  label,
  type OptionsOf,
  oneOf,
  plainName,
  readOptions,
  tls,
  whole,
} from '@unikv/core/adapter'
import type { MariadbPool } from './client/mariadb-client.ts'
import type { MysqlAddress, MysqlPool, MysqlPromisePool, MysqlTls } from './client/mysql-client.ts'
import { canIndex } from './find/fields.ts'
import type { MysqlDurability } from './table.ts'

/** A pool of mysql2 or mariadb, of either of their two APIs. */
export type MysqlClient = MysqlPool | MysqlPromisePool | MariadbPool

/** The packages of npm that talk to the server. */
export type MysqlDriver = 'mysql2' | 'mariadb'

const table = {
  /** `mysql://user:password@host:3306/database`, also `mariadb://`; `?tls=true` encrypts, `?socket=/path` uses a Unix socket, `?driver=mariadb` the other driver. */
  url: any<string | URL>(),
  /** The package that talks to the server, for `url`. @default 'mysql2' */
  driver: oneOf<MysqlDriver, undefined>(undefined, ['mysql2', 'mariadb']),
  /** A ready pool of `mysql2`, `mysql2/promise`, `mariadb` or `mariadb/callback`. It stays open when the store closes. */
  pool: any<MysqlClient>(),
  /** The table: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  table: plainName('unikv'),
  /** `bytes`: a BLOB; `document`: JSON, for queries of your own. @default 'bytes' */
  values: oneOf('bytes', ['bytes', 'document']),
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range or an order. Missing ones are made with
   * `prepare`, and otherwise refused. @default none
   */
  indexes: any<readonly (readonly string[])[]>(),
  /** Make the table where it is missing. @default false */
  prepare: flag(false),
  /** The failures that acknowledged writes survive; rejected on first use if the server's settings promise less. @default 'buffered' */
  durability: oneOf<MysqlDurability>('buffered', ['memory', 'buffered', 'flushed']),
  /**
   * Longest value in bytes. `max_allowed_packet` of the server (16 MiB or more by default) must be a little larger; it is asked for on
   * first use, and larger values are refused before the wire. @default 16,769,024
   */
  maxValueBytes: whole(16_769_024),
  /**
   * Group transactions lock what they read for themselves alone. Without it several may read the same, and if two of them then change it,
   * one loses the conflict. In a URL `?lockReads=true`. @default false
   */
  lockReads: flag(false),
  /** Most connections, for `url`. Transactions of groups leave one of them free. @default 10 */
  maxConnections: whole(10),
  /** Most statements that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  queueLimit: whole(10_000),
  /**
   * Settings of TLS, for `url`: `ca`, `cert`, `key`, `rejectUnauthorized` (true), `verifyIdentity` (true: needs a host name, not an IP
   * address). @default none, or those of `?tls=true`
   */
  tls: tls<MysqlTls>(['verifyIdentity']),
  /** For errors and reports. @default 'mysql' */
  name: label('mysql'),
}

/** Settings of the MySQL store. Either `url` or `pool` is required. */
export interface MysqlOptions<P extends MysqlClient = MysqlClient>
  extends OptionsOf<typeof table, { pool: P }> {}

/** The pool that was handed in, or where and by what to open one. */
export type MysqlSource =
  | { readonly pool: MysqlClient }
  | { readonly address: MysqlAddress; readonly driver: MysqlDriver }

/** Options with their defaults, checked. */
export type MysqlSettings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: MysqlOptions) {
  const { values, ...settings } = readOptions('mysql', table, options)
  const documents = values === 'document'
  return {
    ...settings,
    source: sourceOf(options),
    documents,
    indexes: declaredIndexes(settings.indexes, { dataset: settings.table, documents, canHave: canIndex }),
  }
}

function sourceOf({ url, pool, driver, tls, maxConnections }: MysqlOptions): MysqlSource {
  check((url === undefined) !== (pool === undefined), 'Give exactly one of url and pool.')
  if (pool === undefined) {
    const text = String(url)
    return { address: addressOf(text, tls), driver: driverOf(text, driver) }
  }
  const ofThePool = tls === undefined && maxConnections === undefined && driver === undefined
  check(ofThePool, 'driver, tls and maxConnections cannot be combined with pool, which has its own.')
  return { pool }
}

/** After the URL was checked. */
function driverOf(url: string, given: MysqlDriver | undefined): MysqlDriver {
  const driver = given ?? new URL(url).searchParams.get('driver') ?? 'mysql2'
  if (driver === 'mysql2' || driver === 'mariadb') return driver
  throw invalidConfig("driver must be 'mysql2' or 'mariadb'.")
}

function addressOf(text: string, given: MysqlTls | undefined): MysqlAddress {
  check(URL.canParse(text), 'url is not a valid URL. Write mysql://user:password@host:3306/database')
  const url = new URL(text)
  check(['mysql:', 'mariadb:'].includes(url.protocol), 'url must start with mysql:// or mariadb://.')
  for (const name of url.searchParams.keys()) {
    check(
      ['tls', 'socket', 'driver'].includes(name),
      'url takes only the parameters tls, socket and driver. For more, pass a pool.',
    )
  }
  const [database, ...rest] = url.pathname
    .slice(1)
    .split('/')
    .map((part) => decoded(part))
  if (database === undefined || database === '' || rest.length > 0)
    throw invalidConfig('url must name a database: mysql://user@host/database')
  const host = decoded(url.hostname.replace(/^\[(.*)\]$/, '$1')) || 'localhost'
  const wanted = url.searchParams.get('tls') ?? 'false'
  check(['true', 'false'].includes(wanted), 'The parameter tls of url must be true or false.')
  const tls = given ?? (wanted === 'true' ? {} : undefined)
  // mysql2 would compare the certificate of an IP address with the name `localhost`.
  check(
    tls === undefined || tls.verifyIdentity === false || isIP(host) === 0,
    "tls checks the server's name: use its name in url, not its IP address, or set tls.verifyIdentity: false.",
  )
  return {
    host,
    port: Number(url.port || 3306),
    user: decoded(url.username) || undefined,
    password: decoded(url.password) || undefined,
    database,
    socketPath: url.searchParams.get('socket') ?? undefined,
    tls,
  }
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw invalidConfig(message)
}
