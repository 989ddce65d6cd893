import {
  checkDatasetName,
  checkFactoryOptions,
  checkPositive,
  type DeclaredIndex,
  declaredIndexes,
  invalidConfig,
  type OptionNames,
} from '@unikv/core/adapter'
import type { MongoClient } from 'mongodb'
import {
  durabilities,
  type MongodbDurability,
  type ReadPreference,
  readPreferences,
} from './client/consistency.ts'
import { addressOf, type MongodbAddress } from './client/mongodb-url.ts'
import { canIndex } from './find/stages.ts'
import { maxRecordBytes, recordOverheadBytes } from './record.ts'

/** Settings of the MongoDB store. Either `url` or `client` is required. */
export interface MongodbOptions<C extends MongoClient = MongoClient> {
  /** `mongodb://user:password@host:27017/database`, also several hosts, also `mongodb+srv://`. */
  readonly url?: string | URL | undefined
  /** A ready client of the driver, made with `retryWrites: false` and `retryReads: false`. It stays open when the store closes. */
  readonly client?: C | undefined
  /** The database. `[A-Za-z0-9_-]{1,63}`. @default that of the URL or of the client, else 'unikv' */
  readonly database?: string | undefined
  /** The collection: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly collection?: string | undefined
  /** `bytes`: binary data; `document`: the JSON document in a field of its own, for queries of your own. @default 'bytes' */
  readonly values?: 'bytes' | 'document' | undefined
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range or an order. Missing ones are made with
   * `prepare`, and otherwise refused. @default none
   */
  readonly indexes?: readonly (readonly string[])[] | undefined
  /** Make the collection and its index where they are missing. @default false */
  readonly prepare?: boolean | undefined
  /** The failures that acknowledged writes survive: decides the write concern. @default 'flushed' */
  readonly durability?: MongodbDurability | undefined
  /**
   * The members that reads ask, whose level leaves it open: `primaryPreferred` asks a secondary while there is no primary.
   * Linearizable reads ask the primary, eventual ones anybody. In a URL: `readPreference=primaryPreferred`. @default 'primary'
   */
  readonly readPreference?: ReadPreference | undefined
  /**
   * Entities use the server's transactions, on a replica set or a sharded cluster. Groups then are in the collection `<collection>_groups`, and
   * not in records, so choose it before there are any. @default false
   */
  readonly transactions?: boolean | undefined
  /** Longest value in bytes; a record of 16 MiB must hold it. @default 16,775,168 */
  readonly maxValueBytes?: number | undefined
  /** Most connections to each server, for `url`. @default 20 */
  readonly maxConnections?: number | undefined
  /** Most commands that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  readonly queueLimit?: number | undefined
  /** For errors and reports. @default 'mongodb' */
  readonly name?: string | undefined
}

/** Options with their defaults, checked. */
export interface MongodbSettings {
  /** The client that was handed in, or where to connect. */
  readonly source: { readonly client: MongoClient } | { readonly address: MongodbAddress }
  readonly database: string | undefined
  readonly collection: string
  readonly documents: boolean
  readonly indexes: readonly DeclaredIndex[]
  readonly prepare: boolean
  readonly durability: MongodbDurability
  readonly readPreference: ReadPreference
  readonly transactions: boolean
  readonly maxValueBytes: number
  readonly maxConnections: number
  readonly queueLimit: number
  readonly name: string
}

const defaultMaxValueBytes: number = maxRecordBytes - recordOverheadBytes

const optionNames: OptionNames<MongodbOptions> = {
  url: true,
  client: true,
  database: true,
  collection: true,
  values: true,
  indexes: true,
  prepare: true,
  durability: true,
  readPreference: true,
  transactions: true,
  maxValueBytes: true,
  maxConnections: true,
  queueLimit: true,
  name: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: MongodbOptions): MongodbSettings {
  checkFactoryOptions('mongodb', options, optionNames)
  const {
    collection = 'unikv',
    values = 'bytes',
    prepare = false,
    transactions = false,
    name = 'mongodb',
  } = options
  const { durability = 'flushed', maxValueBytes = defaultMaxValueBytes } = options
  const { readPreference = 'primary' } = options
  const { maxConnections = 20, queueLimit = 10_000 } = options
  checkDatasetName('collection', collection)
  check(values === 'bytes' || values === 'document', "values must be 'bytes' or 'document'.")
  check(durabilities.includes(durability), `durability must be one of: ${durabilities.join(', ')}.`)
  check(
    readPreferences.includes(readPreference),
    `readPreference must be one of: ${readPreferences.join(', ')}.`,
  )
  checkPositive({ maxValueBytes, maxConnections, queueLimit })
  check(maxValueBytes <= defaultMaxValueBytes, `maxValueBytes must be at most ${defaultMaxValueBytes}.`)
  check(typeof transactions === 'boolean', 'transactions must be true or false.')
  const documents = values === 'document'
  const source = sourceOf(options)
  return {
    source,
    database: databaseOf(options, source),
    collection,
    documents,
    indexes: declaredIndexes(options.indexes, { dataset: 'unikv', documents, canHave: canIndex }),
    prepare,
    durability,
    readPreference,
    transactions,
    maxValueBytes,
    maxConnections,
    queueLimit,
    name,
  }
}

function sourceOf({ url, client, maxConnections }: MongodbOptions): MongodbSettings['source'] {
  check((url === undefined) !== (client === undefined), 'Give exactly one of url and client.')
  if (client === undefined) return { address: addressOf(String(url)) }
  check(maxConnections === undefined, 'maxConnections cannot be combined with client, which has its own.')
  checkClient(client)
  return { client }
}

function checkClient(client: MongoClient): void {
  const { options } = client
  check(
    typeof client.db === 'function' && options !== undefined,
    'client must be a MongoClient of the driver mongodb.',
  )
  check(
    options.retryWrites === false && options.retryReads === false,
    'Create client with retryWrites: false and retryReads: false. Retries by the driver would make outcomes uncertain.',
  )
}

function databaseOf({ database }: MongodbOptions, source: MongodbSettings['source']): string | undefined {
  const named = database ?? ('address' in source ? (source.address.database ?? 'unikv') : undefined)
  check(
    named === undefined || /^[A-Za-z0-9_-]{1,63}$/.test(named),
    'database must match [A-Za-z0-9_-]{1,63}.',
  )
  return named
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw invalidConfig(message)
}
