import { isIP } from 'node:net'
import { StoreError } from '@unikv/core'
import {
  checkFactoryOptions,
  checkTls,
  type DeclaredIndex,
  declaredIndexes,
  decoded,
  type OptionNames,
} from '@unikv/core/adapter'
import type { MariadbPool } from './client/mariadb-client.ts'
import type { MysqlAddress, MysqlPool, MysqlPromisePool, MysqlTls } from './client/mysql-client.ts'
import { canIndex } from './find/fields.ts'
import type { MysqlDurability } from './table.ts'

/** A pool of mysql2 or mariadb, of either of their two APIs. */
export type MysqlClient = MysqlPool | MysqlPromisePool | MariadbPool

/** The packages of npm that talk to the server. */
export type MysqlDriver = 'mysql2' | 'mariadb'

/** Settings of the MySQL store. Either `url` or `pool` is required. */
export interface MysqlOptions<P extends MysqlClient = MysqlClient> {
  /** `mysql://user:password@host:3306/database`, also `mariadb://`; `?tls=true` encrypts, `?socket=/path` uses a Unix socket, `?driver=mariadb` the other driver. */
  readonly url?: string | URL | undefined
  /** The package that talks to the server, for `url`. @default 'mysql2' */
  readonly driver?: MysqlDriver | undefined
  /** A ready pool of mysql2 or mariadb. It stays open when the store closes. */
  readonly pool?: P | undefined
  /** The table: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly table?: string | undefined
  /** `bytes`: a BLOB; `document`: JSON, for queries of your own. @default 'bytes' */
  readonly values?: 'bytes' | 'document' | undefined
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range or an order. Missing ones are made with
   * `prepare`, and otherwise refused. @default none
   */
  readonly indexes?: readonly (readonly string[])[] | undefined
  /** Make the table where it is missing. @default false */
  readonly prepare?: boolean | undefined
  /** The failures that acknowledged writes survive; rejected on first use if the server's settings promise less. @default 'buffered' */
  readonly durability?: MysqlDurability | undefined
  /** Longest value in bytes; the server's `max_allowed_packet` must be a little larger. @default 16,769,024 */
  readonly maxValueBytes?: number | undefined
  /**
   * Group transactions lock what they read for themselves alone. Without it several may read the same, and if two of them then change it,
   * one loses the conflict. @default false
   */
  readonly lockReads?: boolean | undefined
  /** Most connections, for `url`. Transactions of groups leave one of them free. @default 10 */
  readonly maxConnections?: number | undefined
  /** Most statements that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  readonly queueLimit?: number | undefined
  /** Settings of TLS, for `url`. @default none, or those of `?tls=true` */
  readonly tls?: MysqlTls | undefined
  /** For errors and reports. @default 'mysql' */
  readonly name?: string | undefined
}

/** A packet of 16 MiB (the default of MariaDB, a quarter of that of MySQL) less key, header and some air. */
const defaultMaxValueBytes: number = 16 * 1024 * 1024 - 8 * 1024

/** The pool that was handed in, or where and by what to open one. */
export type MysqlSource =
  | { readonly pool: MysqlClient }
  | { readonly address: MysqlAddress; readonly driver: MysqlDriver }

/** Options with their defaults, checked. */
export interface MysqlSettings {
  readonly source: MysqlSource
  readonly table: string
  readonly documents: boolean
  readonly indexes: readonly DeclaredIndex[]
  readonly prepare: boolean
  readonly durability: MysqlDurability
  readonly maxValueBytes: number
  readonly lockReads: boolean
  readonly maxConnections: number
  readonly queueLimit: number
  readonly name: string
}

const optionNames: OptionNames<MysqlOptions> = {
  url: true,
  driver: true,
  pool: true,
  table: true,
  values: true,
  indexes: true,
  prepare: true,
  durability: true,
  maxValueBytes: true,
  lockReads: true,
  maxConnections: true,
  queueLimit: true,
  tls: true,
  name: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: MysqlOptions): MysqlSettings {
  checkFactoryOptions('mysql', options, optionNames)
  const {
    table = 'unikv',
    values = 'bytes',
    prepare = false,
    durability = 'buffered',
    name = 'mysql',
  } = options
  const { maxValueBytes = defaultMaxValueBytes, maxConnections = 10, queueLimit = 10_000 } = options
  check(/^[a-z][a-z0-9_]{0,47}$/.test(table), 'table must match [a-z][a-z0-9_]{0,47}.')
  check(values === 'bytes' || values === 'document', "values must be 'bytes' or 'document'.")
  check(
    ['memory', 'buffered', 'flushed'].includes(durability),
    "durability must be 'memory', 'buffered' or 'flushed'.",
  )
  for (const [limit, value] of Object.entries({ maxValueBytes, maxConnections, queueLimit })) {
    check(Number.isSafeInteger(value) && value > 0, `${limit} must be an integer above 0.`)
  }
  checkTls('mysql', options.tls, ['verifyIdentity'])
  const documents = values === 'document'
  return {
    source: sourceOf(options),
    table,
    documents,
    indexes: declaredIndexes(options.indexes, { dataset: table, documents, canHave: canIndex }),
    prepare,
    durability,
    maxValueBytes,
    lockReads: options.lockReads ?? false,
    maxConnections,
    queueLimit,
    name,
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
function driverOf(url: string, given: string | undefined): MysqlDriver {
  const driver = given ?? new URL(url).searchParams.get('driver') ?? 'mysql2'
  if (driver === 'mysql2' || driver === 'mariadb') return driver
  throw invalid("driver must be 'mysql2' or 'mariadb'.")
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
    throw invalid('url must name a database: mysql://user@host/database')
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
  if (!condition) throw invalid(message)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
