import {
  any,
  declaredIndexes,
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
import { sqlAddress, sqlTable } from '@unikv/core/sql-client'
import {
  checkedPool,
  type PostgresAddress,
  type PostgresPool,
  type PostgresTls,
} from './client/postgres-client.ts'

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
  /** The schema of the table, which must exist. `[a-z][a-z0-9_]{0,47}`. @default as the `search_path` of the user says */
  schema: plainName(undefined),
  /** `bytes`: BYTEA; `document`: JSONB, for queries of your own. @default 'bytes' */
  values: oneOf('bytes', ['bytes', 'document']),
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
  /** Settings of TLS, for `url`: `ca`, `cert`, `key`, `servername`, `rejectUnauthorized` (true). @default as `sslmode` says */
  tls: tls<PostgresTls>(['servername']),
  /** For errors and reports. @default 'postgres' */
  name: label('postgres'),
}

/** Settings of the PostgreSQL store. Either `url` or `pool` is required. */
export interface PostgresOptions<P extends PostgresPool = PostgresPool>
  extends OptionsOf<typeof table, { pool: P }>,
    OptionsOf<typeof sqlTable> {}

/** Options with their defaults, checked. */
export type PostgresSettings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: PostgresOptions = {}) {
  const { values, ...settings } = readOptions('postgres', { ...table, ...sqlTable }, options)
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
  const { address, parameters } = sqlAddress(text, {
    schemes: ['postgres', 'postgresql'],
    port: 5432,
    parameters: ['sslmode', 'host'],
  })
  const socket = parameters.get('host')
  check(
    socket === null || socket.startsWith('/'),
    'The parameter host of url must be the folder of a Unix socket.',
  )
  // A copy: pg hides the key of what it gets.
  const ssl = tls === undefined ? sslOf(parameters.get('sslmode')) : { ...tls }
  return { ...address, host: socket ?? address.host, ssl }
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
