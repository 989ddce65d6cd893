import { isIP } from 'node:net'
import {
  any,
  declaredIndexes,
  flag,
  invalidConfig,
  label,
  type OptionsOf,
  oneOf,
  readOptions,
  tls,
  whole,
} from '@unikv/core/adapter'
import { sqlAddress, sqlTable } from '@unikv/core/sql-client'
import type { MariadbPool } from './client/mariadb-client.ts'
import type { MysqlAddress, MysqlPool, MysqlPromisePool, MysqlTls } from './client/mysql-client.ts'
import { canIndex } from './find/fields.ts'

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
  /** `bytes`: a BLOB; `document`: JSON, for queries of your own. @default 'bytes' */
  values: oneOf('bytes', ['bytes', 'document']),
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
  extends OptionsOf<typeof table, { pool: P }>,
    OptionsOf<typeof sqlTable> {}

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
export function settingsOf(options: MysqlOptions = {}) {
  const { values, ...settings } = readOptions('mysql', { ...table, ...sqlTable }, options)
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
  const { address, parameters } = sqlAddress(text, {
    schemes: ['mysql', 'mariadb'],
    port: 3306,
    parameters: ['tls', 'socket', 'driver'],
  })
  const wanted = parameters.get('tls') ?? 'false'
  check(['true', 'false'].includes(wanted), 'The parameter tls of url must be true or false.')
  const tls = given ?? (wanted === 'true' ? {} : undefined)
  // mysql2 would compare the certificate of an IP address with the name `localhost`.
  check(
    tls === undefined || tls.verifyIdentity === false || isIP(address.host) === 0,
    "tls checks the server's name: use its name in url, not its IP address, or set tls.verifyIdentity: false.",
  )
  const socketPath = parameters.get('socket') ?? undefined
  check(socketPath !== '', 'The parameter socket of url must be the path of a Unix socket.')
  return { ...address, socketPath, tls }
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw invalidConfig(message)
}
