import type {
  Bytes,
  CallOptions,
  Capabilities,
  DeclaredBy,
  Mutation,
  Page,
  Read,
  ScanRange,
  Store,
} from '@unikv/core'
import { datasetName, openedStore } from '@unikv/core/adapter'
import type { Dataset } from '../dataset.ts'
import { records } from '../format.ts'
import { layoutOf } from '../layout.ts'
import { scanShards } from '../scan.ts'
import { readFrom } from '../server/read.ts'
import { writeTo } from '../server/write.ts'
import { settingsOf, type UpstashOptions } from './options.ts'
import { RestDatabase } from './rest-connection.ts'

export type { UpstashOptions } from './options.ts'

/** There is no client: `native` tells where the database is. */
export interface UpstashNative {
  /** The address of the database, without user info. */
  readonly address: string
}

/** A request of Upstash takes 10 MB, and a byte up to six characters of JSON. */
const mostBytes = 1_000_000

const always = {
  scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'native', precisionMs: 1 },
  touch: true,
  increment: true,
  existed: true,
  batch: { atomicity: 'none', maxItems: 1_000, maxBytes: mostBytes, coalesce: { min: 2, max: 32 } },
  // The longest dataset and its colon are in it, too.
  maxKeyBytes: 32_000,
  maxValueBytes: mostBytes,
  durability: 'memory',
  // A database has replicas in other regions, which answer reads.
  isolation: 'eventual',
  consistency: [],
  sealed: false,
  documents: false,
  deltas: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of a store in an Upstash database. */
export interface UpstashCapabilities extends DeclaredBy<typeof always> {}

/** A store in an Upstash database. */
export type UpstashStore = Store<Bytes, UpstashCapabilities, UpstashNative>

/**
 * Records in an Upstash database by its REST interface, for functions without TCP: it needs `fetch` alone. The records are those of
 * `redis()`, so both read and write them. A write whose answer is lost is `OUTCOME_UNKNOWN`, and never sent twice.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function upstash(options: UpstashOptions): UpstashStore {
  const settings = settingsOf(options)
  const database = new RestDatabase(settings)
  const dataset = { prefix: `${settings.dataset}:`, format: records, manyKeys: true, driver: undefined }
  const store = openedStore<Bytes, RestDatabase>({
    name: settings.name,
    dataset: datasetName('upstash', settings.address, settings.dataset),
    capabilities: { ...always, evicts: settings.evicts },
    native: Object.freeze({ address: settings.address }),
    open: async () => database,
    read: (_database, reads, call) => readFrom(database.connection(call, false), reads, dataset),
    write: (_database, mutations, call) => write(database, dataset, mutations, call),
    scan: (_database, range, call) => scan(database, dataset, range, call),
    closed: () => database.fetch.close(),
  })
  return store as unknown as UpstashStore
}

function write(
  database: RestDatabase,
  dataset: Dataset,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): ReturnType<typeof writeTo> {
  return writeTo(database.connection(call, true), mutations, dataset)
}

function scan(
  database: RestDatabase,
  dataset: Dataset,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  const connection = database.connection(call, false)
  const read = (reads: readonly Read[]) => readFrom(connection, reads, dataset)
  const source = { prefix: dataset.prefix, header: true, read, ready: async () => {} }
  return scanShards({ ...source, layout: async () => layoutOf(connection) }, range)
}
