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
import {
  checkedPool,
  type PostgresAddress,
  type PostgresPool,
  type PostgresTls,
} from './client/postgres-client.ts'
import type { PostgresDurability } from './table.ts'

/** Values come back as text, which must fit into a string of JavaScript. */
const greatestMaxValueBytes = 256_000_000

const table = {
  /**
   * `postgres://user:password@host:5432/database`, also `postgresql://`. `?sslmode=` is `disable`, `verify-full` (also
   * written `require` and `verify-ca`: the certificate is always checked) or `no-verify`; `?host=/path` uses the Unix
   * socket in that folder. Users, passwords and `sslmode` that it leaves out come from `PGUSER`, `PGPASSWORD` and
   * `PGSSLMODE`.
   */
  url: any<string | URL>(),
  /** A ready `Pool` of `pg`. It stays open when the store closes. Without `pipeline`; not of `pg.native`. */
  pool: any<PostgresPool>(),
  /** The table: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  table: plainName('unikv'),
  /** The schema of the table, which must exist. `[a-z][a-z0-9_]{0,47}`. @default as the `search_path` of the user says */
  schema: plainName(undefined),
  /** `bytes`: BYTEA; `document`: JSONB, for queries of your own. @default 'bytes' */
  values: oneOf('bytes', ['bytes', 'document']),
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range or an order. Missing ones are made with
   * `prepare`, and otherwise refused. @default none
   */
  indexes: any<readonly (readonly string[])[]>(),
  /** Make the table where it is missing. @default false */
  prepare: flag(false),
  /** The failures that acknowledged writes survive; rejected on first use if the server's settings promise less. @default 'buffered' */
  durability: oneOf<PostgresDurability>('buffered', ['memory', 'buffered', 'flushed']),
  /** Longest value in bytes, at most 256,000,000; larger ones are refused before the wire. @default 16,777,216 */
  maxValueBytes: whole(16_777_216, 1, greatestMaxValueBytes),
  /**
   * Whether connections keep statements prepared under names. `false` for a pooler that gives each statement to
   * another connection, such as PgBouncer before 1.21 in transaction mode. @default true
   */
  namedStatements: flag(true),
  /**
   * Lock the rows that a group transaction reads by key until its end, so that another one waits there instead of losing a
   * conflict later. One that waited for a change loses then all the same. In a URL `?lockReads=true`. @default false
   */
  lockReads: flag(false),
  /** Most connections, for `url`. Transactions of groups leave one of them free. @default 10 */
  maxConnections: whole(10),
  /** Most statements that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  queueLimit: whole(10_000),
  /** Settings of TLS, for `url`: `ca`, `cert`, `key`, `servername`, `rejectUnauthorized` (true). @default as `sslmode` says */
  tls: tls<PostgresTls>(['servername']),
  /** For errors and reports. @default 'postgres' */
  name: label('postgres'),
}

/** Settings of the PostgreSQL store. Either `url` or `pool` is required. */
export interface PostgresOptions<P extends PostgresPool = PostgresPool>
  extends OptionsOf<typeof table, { pool: P }> {}

/** Options with their defaults, checked. */
export type PostgresSettings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: PostgresOptions) {
  const { values, ...settings } = readOptions('postgres', table, options)
  const documents = values === 'document'
  return {
    ...settings,
    /** The pool that was handed in, or where to open one. */
    source: sourceOf(options),
    documents,
    indexes: declaredIndexes(settings.indexes, { dataset: settings.table, documents }),
  }
}

function sourceOf({
  url,
  pool,
  tls,
  maxConnections,
}: PostgresOptions): { readonly pool: PostgresPool } | { readonly address: PostgresAddress } {
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
