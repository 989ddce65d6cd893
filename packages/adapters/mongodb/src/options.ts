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
  text,
  whole,
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

const defaultMaxValueBytes: number = maxRecordBytes - recordOverheadBytes

const table = {
  /**
   * `mongodb://user:password@host:27017/database`, several hosts, or `mongodb+srv://`. Parameters name the servers and the
   * user (`replicaSet`, `authSource`, `tls`, …); the options below say how to read and write.
   */
  url: any<string | URL>(),
  /** A ready client of the driver, made with `retryWrites: false` and `retryReads: false`. It stays open when the store closes. */
  client: any<MongoClient>(),
  /** The database. `[A-Za-z0-9_-]{1,63}`. @default that of the URL or of the client, else 'unikv' */
  database: text(),
  /** The collection: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  collection: plainName('unikv'),
  /** `bytes`: binary data; `document`: the JSON document in a field of its own, for queries of your own. @default 'bytes' */
  values: oneOf('bytes', ['bytes', 'document']),
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range or an order. Missing ones are made with
   * `prepare`, and otherwise refused. @default none
   */
  indexes: any<readonly (readonly string[])[]>(),
  /** Make the collection and its index where they are missing. @default false */
  prepare: flag(false),
  /** The failures that acknowledged writes survive: decides the write concern. @default 'flushed' */
  durability: oneOf<MongodbDurability>('flushed', durabilities),
  /**
   * The members that reads ask, whose level leaves it open: `primaryPreferred` asks a secondary while there is no primary.
   * Linearizable reads ask the primary, eventual ones anybody. In a URL: `readPreference=primaryPreferred`. @default 'primary'
   */
  readPreference: oneOf<ReadPreference>('primary', readPreferences),
  /**
   * Entities use the server's transactions, on a replica set or a sharded cluster. Groups then are in the collection `<collection>_groups`, and
   * not in records, so choose it before there are any. @default false
   */
  transactions: flag(false),
  /** Longest value in bytes: 16 MiB less 2 KiB for key and fields. Larger values are refused before the wire. @default 16,775,168 */
  maxValueBytes: whole(defaultMaxValueBytes, 1, defaultMaxValueBytes),
  /** Most connections to each server, for `url`. @default 20 */
  maxConnections: whole(20),
  /** Most commands that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  queueLimit: whole(10_000),
  /** For errors and reports. @default 'mongodb' */
  name: label('mongodb'),
}

/** Settings of the MongoDB store. Either `url` or `client` is required. */
export interface MongodbOptions<C extends MongoClient = MongoClient>
  extends OptionsOf<typeof table, { client: C }> {}

/** The client that was handed in, or where to connect. */
type Source = { readonly client: MongoClient } | { readonly address: MongodbAddress }

/** Options with their defaults, checked. */
export type MongodbSettings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: MongodbOptions = {}) {
  const { values, ...settings } = readOptions('mongodb', table, options)
  const documents = values === 'document'
  const source = sourceOf(options)
  return {
    ...settings,
    source,
    database: databaseOf(options, source),
    documents,
    indexes: declaredIndexes(settings.indexes, { dataset: 'unikv', documents, canHave: canIndex }),
  }
}

function sourceOf({ url, client, maxConnections }: MongodbOptions): Source {
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

function databaseOf({ database }: MongodbOptions, source: Source): string | undefined {
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
