import { decoded, invalidConfig } from '../adapter/adapter-errors.ts'
import { any, flag, oneOf, plainName, whole } from '../options/kinds.ts'
import type { SqlDurability } from './table.ts'

/** Options of stores in a table of a database that a pool connects to. */
export const sqlTable = {
  /** The table: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  table: plainName('unikv'),
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range or an order. Missing ones are made with
   * `prepare`, and otherwise refused. @default none
   */
  indexes: any<readonly (readonly string[])[]>(),
  /** Make the table where it is missing. @default false */
  prepare: flag(false),
  /** The failures that acknowledged writes survive; rejected on first use if the server's settings promise less. @default 'buffered' */
  durability: oneOf<SqlDurability>('buffered', ['memory', 'buffered', 'flushed']),
  /** Most connections, for `url`. Transactions of groups leave one of them free. @default 10 */
  maxConnections: whole(10),
  /** Most statements that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  queueLimit: whole(10_000),
}

/** The form of URLs of a database. */
export interface SqlUrl {
  readonly schemes: readonly string[]
  readonly port: number
  /** The parameters that are taken. */
  readonly parameters: readonly string[]
}

/** A database and its user. */
export interface SqlAddress {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string
}

/**
 * The address in a URL, and its parameters.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function sqlAddress(
  text: string,
  { schemes, port, parameters }: SqlUrl,
): { readonly address: SqlAddress; readonly parameters: URLSearchParams } {
  const [scheme] = schemes
  if (!URL.canParse(text))
    throw invalidConfig(`url is not a valid URL. Write ${scheme}://user:password@host:${port}/database`)
  const url = new URL(text)
  if (!schemes.includes(url.protocol.slice(0, -1)))
    throw invalidConfig(`url must start with ${schemes.map((one) => `${one}://`).join(' or ')}.`)
  if ([...url.searchParams.keys()].some((name) => !parameters.includes(name)))
    throw invalidConfig(
      `url takes only the parameters ${parameters.slice(0, -1).join(', ')} and ${parameters.at(-1)}. For more, pass a pool.`,
    )
  const [database = '', ...rest] = url.pathname
    .slice(1)
    .split('/')
    .map((part) => decoded(part))
  if (database === '' || rest.length > 0)
    throw invalidConfig(`url must name a database: ${scheme}://user@host/database`)
  const address = {
    host: decoded(url.hostname.replace(/^\[(.*)\]$/, '$1')) || 'localhost',
    port: Number(url.port || port),
    user: decoded(url.username) || undefined,
    password: decoded(url.password) || undefined,
    database,
  }
  return { address, parameters: url.searchParams }
}
