import {
  decoded,
  flag,
  invalidConfig,
  label,
  type OptionsOf,
  oneOf,
  ownClock,
  plainName,
  readOptions,
  tls,
  whole,
} from '@unikv/core/adapter'
import type { HttpTls } from '@unikv/core/http-client'

const table = {
  /**
   * The REST gateway: `http://[user:password@]host:8080`, or `https://…`; a user is told by basic authentication, as a proxy
   * before the gateway asks for it. Kerberos is not spoken.
   */
  url: addressOf,
  /** The table, which may hold several datasets: `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  table: plainName('unikv'),
  /** Prefix of row keys, before a colon: `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  dataset: plainName('unikv'),
  /** The column family: `[a-z][a-z0-9_]{0,47}`; a short one, as it is stored with every cell. @default 'u' */
  family: plainName('u'),
  /** Make the table where it is missing. @default false */
  prepare: flag(false),
  /**
   * The durability that your cluster is configured for, which only you know: `buffered` (one machine, or `ASYNC_WAL`), `replicated`
   * (the usual write-ahead log on several data nodes). Nothing is checked; it is what the capabilities say.
   *
   * @default 'buffered'
   */
  durability: oneOf('buffered', ['buffered', 'replicated']),
  /**
   * Longest value in bytes. `hbase.client.keyvalue.maxsize` of the gateway and of the region servers (10 MiB) must be larger
   * by 32 KiB, as a cell also holds its row key and a header. @default 10,452,992
   */
  maxValueBytes: whole(10_452_992),
  /** Most connections to the gateway. @default 16 */
  maxConnections: whole(16),
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  queueLimit: whole(10_000),
  /** Settings of TLS: `ca`, `cert`, `key`, `rejectUnauthorized` (true). @default those of Node */
  tls: tls<HttpTls>(),
  /** Wall clock by which records expire: the gateway tells no time. @default Date.now */
  clock: ownClock(),
  /** For errors and reports. @default 'hbase' */
  name: label('hbase'),
}

/** Settings of the HBase store. */
export interface HbaseOptions extends OptionsOf<typeof table> {}

/** Options with their defaults, checked. */
export type HbaseSettings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: HbaseOptions) {
  const { url, ...settings } = readOptions('hbase', table, options)
  return { ...settings, ...url }
}

/** Where the gateway is, and the header of basic authentication. */
function addressOf(given: string | URL): { readonly url: URL; readonly authorization: string | undefined } {
  const text = String(given)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '')
    throw invalidConfig('url must be the address of an HBase REST gateway: http://host:8080')
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw invalidConfig('url must hold only scheme, host and port; table and dataset are options.')
  const user = decoded(url.username)
  const password = decoded(url.password)
  const hasUser = user !== '' || password !== ''
  return {
    url,
    authorization: hasUser ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` : undefined,
  }
}
