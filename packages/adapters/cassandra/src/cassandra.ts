import type {
  Bytes,
  CallOptions,
  Mutation,
  Page,
  Read,
  ReadResult,
  ScanRange,
  Store,
  WriteResult,
} from '@unikv/core'
import { datasetName, movingPages, Opening, withOwnValue } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { type CassandraCapabilities, capabilitiesOf } from './capabilities.ts'
import type { CassandraClient, OwnClient } from './client/cassandra-client.ts'
import { type CassandraNative, lazyNative } from './client/native.ts'
import { clientOf, openBackend } from './open.ts'
import {
  type CassandraDurability,
  type CassandraOptions,
  type CassandraSettings,
  settingsOf,
} from './options.ts'
import { read } from './read.ts'
import { scanPages } from './scan.ts'
import { write } from './write.ts'

/** The Cassandra store: capabilities and native client depend on the options. */
export type CassandraStore<O extends CassandraOptions = CassandraOptions> = Store<
  Bytes,
  CassandraCapabilities<
    ConditionsOf<O>,
    O extends { readonly durability: infer D extends CassandraDurability } ? D : 'buffered'
  >,
  O extends { readonly client: infer C extends CassandraClient } ? C : CassandraNative
>

/** A URL may say `conditions=true`, which its type does not tell. */
type ConditionsOf<O extends CassandraOptions> = O extends { readonly conditions: infer B extends boolean }
  ? B
  : O extends { readonly url: string | URL }
    ? boolean
    : false

/**
 * A table in Apache Cassandra, by cassandra-driver. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function cassandra<const O extends CassandraOptions>(options: O): CassandraStore<O> {
  return new TableStore(settingsOf(options)) as unknown as CassandraStore<O>
}

/**
 * Make the keyspace and the table of these options, if they are missing. What `prepare: true` does on first use, for
 * deployments where the application may not create tables.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareCassandra(options: CassandraOptions): Promise<void> {
  const store = new TableStore({ ...settingsOf(options), prepare: true })
  try {
    await store.open()
  } finally {
    await store.close()
  }
}

class TableStore implements Store<Bytes> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: CassandraCapabilities
  readonly native: unknown
  readonly #client: Opening<OwnClient>
  readonly #opening: Opening<Backend>

  constructor(settings: CassandraSettings) {
    const { source, name } = settings
    this.name = name
    this.dataset = datasetName(
      'cassandra',
      ...('address' in source ? source.address.contactPoints.toSorted() : []),
      settings.keyspace,
      settings.table,
    )
    this.capabilities = capabilitiesOf(settings)
    this.#client = clientOf(settings)
    this.#opening = new Opening(
      async () => openBackend((await this.#client.open()).client, settings),
      async () => {},
    )
    this.native =
      'client' in source ? source.client : lazyNative(async () => (await this.#client.open()).client)
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const backend = this.#opening.ready
    return backend === undefined
      ? this.#opening.opened(call).then((opened) => read(opened, reads, call))
      : read(backend, reads, call)
  }

  write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const backend = this.#opening.ready
    if (backend !== undefined) return write(backend, mutations, call)
    // The caller may change its values while connections are waited for.
    const own = mutations.map(withOwnValue)
    return this.#opening.opened(call).then((opened) => write(opened, own, call))
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<Bytes>> {
    yield* movingPages(this.name, false, range, scanPages(await this.#opening.opened(call), range, call))
  }

  open(): Promise<unknown> {
    return this.#opening.open()
  }

  /** The client first: what waits for it ends with it. */
  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#opening.close()])
  }
}
