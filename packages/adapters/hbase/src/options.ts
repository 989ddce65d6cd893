import {
  checkDatasetName,
  checkFactoryOptions,
  checkPositive,
  checkTls,
  decoded,
  invalidConfig,
  type OptionNames,
  ownNumbers,
} from '@unikv/core/adapter'
import type { HttpTls } from '@unikv/core/http-client'
import { wallClock } from '@unikv/core/platform'
import type { HbaseDurability } from './capabilities.ts'

/** Settings of the HBase store. */
export interface HbaseOptions {
  /** The REST gateway: `http://[user:password@]host:8080`, or `https://…`; a user is told by basic authentication. */
  readonly url: string | URL
  /** The table, which may hold several datasets: `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly table?: string | undefined
  /** Prefix of row keys, before a colon: `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly dataset?: string | undefined
  /** The column family: `[a-z][a-z0-9_]{0,47}`; a short one, as it is stored with every cell. @default 'u' */
  readonly family?: string | undefined
  /** Make the table where it is missing. @default false */
  readonly prepare?: boolean | undefined
  /**
   * The durability that your cluster is configured for, which only you know: `buffered` (one machine, or `ASYNC_WAL`), `replicated`
   * (the usual write-ahead log on several data nodes). Nothing is checked; it is what the capabilities say.
   *
   * @default 'buffered'
   */
  readonly durability?: HbaseDurability | undefined
  /** Longest value in bytes; below the cluster's `hbase.client.keyvalue.maxsize` by 32 KiB. @default 10,452,992 */
  readonly maxValueBytes?: number | undefined
  /** Most connections to the gateway. @default 16 */
  readonly maxConnections?: number | undefined
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  readonly queueLimit?: number | undefined
  /** Settings of TLS. @default those of Node */
  readonly tls?: HttpTls | undefined
  /** Wall clock by which records expire. @default Date.now */
  readonly clock?: (() => number) | undefined
  /** For errors and reports. @default 'hbase' */
  readonly name?: string | undefined
}

/** Options with their defaults, checked. */
export interface HbaseSettings {
  readonly url: URL
  /** Header of basic authentication. */
  readonly authorization: string | undefined
  readonly table: string
  readonly dataset: string
  readonly family: string
  readonly prepare: boolean
  readonly durability: HbaseDurability
  readonly maxValueBytes: number
  readonly maxConnections: number
  readonly queueLimit: number
  readonly tls: HttpTls | undefined
  readonly clock: () => number
  readonly name: string
}

/** 10 MiB, the limit of a cell by default, less row key and what a cell is stored with. */
const defaultMaxValueBytes: number = 10 * 1024 * 1024 - 32 * 1024

const optionNames: OptionNames<HbaseOptions> = {
  url: true,
  table: true,
  dataset: true,
  family: true,
  prepare: true,
  durability: true,
  maxValueBytes: true,
  maxConnections: true,
  queueLimit: true,
  tls: true,
  clock: true,
  name: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: HbaseOptions): HbaseSettings {
  checkFactoryOptions('hbase', options, optionNames)
  const { table = 'unikv', dataset = 'unikv', family = 'u', prepare = false, name = 'hbase' } = options
  const { durability = 'buffered', maxValueBytes = defaultMaxValueBytes } = options
  const { maxConnections = 16, queueLimit = 10_000, tls } = options
  checkDatasetName('table', table)
  checkDatasetName('dataset', dataset)
  checkDatasetName('family', family)
  checkPositive({ maxValueBytes, maxConnections, queueLimit })
  checkTls('hbase', tls)
  if (durability !== 'buffered' && durability !== 'replicated')
    throw invalidConfig("durability must be 'buffered' or 'replicated'.")
  return {
    ...addressOf(options.url),
    table,
    dataset,
    family,
    prepare,
    durability,
    maxValueBytes,
    maxConnections,
    queueLimit,
    tls,
    clock: ownNumbers('hbase', 'clock', options.clock, wallClock),
    name,
  }
}

function addressOf(given: unknown): Pick<HbaseSettings, 'url' | 'authorization'> {
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
