import {
  checkDatasetName,
  checkFactoryOptions,
  checkPositive,
  checkTls,
  type DeclaredIndex,
  declaredIndexes,
  decoded,
  invalidConfig,
  type OptionNames,
} from '@unikv/core/adapter'
import {
  checkedPool,
  type PostgresAddress,
  type PostgresPool,
  type PostgresTls,
} from './client/postgres-client.ts'
import type { PostgresDurability } from './table.ts'

/** Settings of the PostgreSQL store. Either `url` or `pool` is required. */
export interface PostgresOptions<P extends PostgresPool = PostgresPool> {
  /**
   * `postgres://user:password@host:5432/database`, also `postgresql://`. `?sslmode=` is `disable`, `verify-full` (also
   * written `require` and `verify-ca`: the certificate is always checked) or `no-verify`; `?host=/path` uses the Unix
   * socket in that folder. Users, passwords and `sslmode` that it leaves out come from `PGUSER`, `PGPASSWORD` and
   * `PGSSLMODE`.
   */
  readonly url?: string | URL | undefined
  /** A ready pool of pg. It stays open when the store closes. */
  readonly pool?: P | undefined
  /** The table: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly table?: string | undefined
  /** The schema of the table, which must exist. `[a-z][a-z0-9_]{0,47}`. @default as the `search_path` of the user says */
  readonly schema?: string | undefined
  /** `bytes`: BYTEA; `document`: JSONB, for queries of your own. @default 'bytes' */
  readonly values?: 'bytes' | 'document' | undefined
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range or an order. Missing ones are made with
   * `prepare`, and otherwise refused. @default none
   */
  readonly indexes?: readonly (readonly string[])[] | undefined
  /** Make the table where it is missing. @default false */
  readonly prepare?: boolean | undefined
  /** The failures that acknowledged writes survive; rejected on first use if the server's settings promise less. @default 'buffered' */
  readonly durability?: PostgresDurability | undefined
  /** Longest value in bytes, at most 256,000,000. @default 16,777,216 */
  readonly maxValueBytes?: number | undefined
  /**
   * Whether connections keep statements prepared under names. `false` for a pooler that gives each statement to
   * another connection, such as PgBouncer before 1.21 in transaction mode. @default true
   */
  readonly namedStatements?: boolean | undefined
  /**
   * Lock the rows that a group transaction reads by key until its end, so that another one waits there instead of losing a
   * conflict later. One that waited for a change loses then all the same. @default false
   */
  readonly lockReads?: boolean | undefined
  /** Most connections, for `url`. Transactions of groups leave one of them free. @default 10 */
  readonly maxConnections?: number | undefined
  /** Most statements that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  readonly queueLimit?: number | undefined
  /** Settings of TLS, for `url`. @default as `sslmode` says */
  readonly tls?: PostgresTls | undefined
  /** For errors and reports. @default 'postgres' */
  readonly name?: string | undefined
}

/** What comes back is text, which must fit into a string of JavaScript. */
const greatestMaxValueBytes = 256_000_000

/** Options with their defaults, checked. */
export interface PostgresSettings {
  /** The pool that was handed in, or where to open one. */
  readonly source: { readonly pool: PostgresPool } | { readonly address: PostgresAddress }
  readonly table: string
  readonly schema: string | undefined
  readonly documents: boolean
  readonly indexes: readonly DeclaredIndex[]
  readonly prepare: boolean
  readonly durability: PostgresDurability
  readonly maxValueBytes: number
  readonly namedStatements: boolean
  readonly lockReads: boolean
  readonly maxConnections: number
  readonly queueLimit: number
  readonly name: string
}

const optionNames: OptionNames<PostgresOptions> = {
  url: true,
  pool: true,
  table: true,
  schema: true,
  values: true,
  indexes: true,
  prepare: true,
  durability: true,
  maxValueBytes: true,
  namedStatements: true,
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
export function settingsOf(options: PostgresOptions): PostgresSettings {
  checkFactoryOptions('postgres', options, optionNames)
  const { table = 'unikv', schema, values = 'bytes', durability = 'buffered' } = options
  const { maxValueBytes = 16_777_216, maxConnections = 10, queueLimit = 10_000 } = options
  checkDatasetName('table', table)
  if (schema !== undefined) checkDatasetName('schema', schema)
  check(values === 'bytes' || values === 'document', "values must be 'bytes' or 'document'.")
  check(
    ['memory', 'buffered', 'flushed'].includes(durability),
    "durability must be 'memory', 'buffered' or 'flushed'.",
  )
  checkPositive({ maxValueBytes, maxConnections, queueLimit })
  checkTls('postgres', options.tls, ['servername'])
  check(maxValueBytes <= greatestMaxValueBytes, 'maxValueBytes must be at most 256,000,000.')
  const documents = values === 'document'
  return {
    source: sourceOf(options),
    table,
    schema,
    documents,
    indexes: declaredIndexes(options.indexes, { dataset: table, documents }),
    prepare: options.prepare ?? false,
    durability,
    maxValueBytes,
    namedStatements: options.namedStatements ?? true,
    lockReads: options.lockReads ?? false,
    maxConnections,
    queueLimit,
    name: options.name ?? 'postgres',
  }
}

function sourceOf({ url, pool, tls, maxConnections }: PostgresOptions): PostgresSettings['source'] {
  check((url === undefined) !== (pool === undefined), 'Give exactly one of url and pool.')
  if (pool === undefined) return { address: addressOf(String(url), tls) }
  const ofThePool = tls === undefined && maxConnections === undefined
  check(ofThePool, 'tls and maxConnections cannot be combined with pool, which has its own.')
  return { pool: checkedPool(pool) }
}

function addressOf(text: string, tls: PostgresTls | undefined): PostgresAddress {
  check(URL.canParse(text), 'url is not a valid URL. Write postgres://user:password@host:5432/database')
  const url = new URL(text)
  const isOurs = ['postgres:', 'postgresql:'].includes(url.protocol)
  check(isOurs, 'url must start with postgres:// or postgresql://.')
  for (const name of url.searchParams.keys()) {
    const known = ['sslmode', 'host'].includes(name)
    check(known, 'url takes only the parameters sslmode and host. For more, pass a pool.')
  }
  const [database, ...rest] = url.pathname
    .slice(1)
    .split('/')
    .map((part) => decoded(part))
  if (database === undefined || database === '' || rest.length > 0)
    throw invalidConfig('url must name a database: postgres://user@host/database')
  return {
    host: hostOf(url),
    port: Number(url.port || 5432),
    user: decoded(url.username) || undefined,
    password: decoded(url.password) || undefined,
    database,
    // A copy: pg hides the key of what it gets.
    ssl: tls === undefined ? sslOf(url.searchParams.get('sslmode')) : { ...tls },
  }
}

function hostOf(url: URL): string {
  const socket = url.searchParams.get('host')
  check(
    socket === null || socket.startsWith('/'),
    'The parameter host of url must be the folder of a Unix socket.',
  )
  return socket ?? (decoded(url.hostname.replace(/^\[(.*)\]$/, '$1')) || 'localhost')
}

/** Stricter than libpq, which does not look at the certificate for `require`. */
function sslOf(mode: string | null): PostgresAddress['ssl'] {
  if (mode === null) return undefined
  if (mode === 'disable') return false
  if (mode === 'no-verify') return { rejectUnauthorized: false }
  const isKnown = ['require', 'verify-ca', 'verify-full'].includes(mode)
  check(
    isKnown,
    'The parameter sslmode of url must be disable, require, verify-ca, verify-full or no-verify.',
  )
  return { rejectUnauthorized: true }
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw invalidConfig(message)
}
