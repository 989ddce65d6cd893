import type { Bytes, Store } from '@unikv/core'
import { type Chosen, openOnce } from '@unikv/core/adapter'
import type { CassandraCapabilities, CassandraDurability } from './capabilities.ts'
import type { CassandraClient } from './client/cassandra-client.ts'
import type { CassandraNative } from './client/native.ts'
import { openStore } from './open.ts'
import { type CassandraOptions, settingsOf } from './options.ts'

/** The Cassandra store: capabilities and native client depend on the options. */
export type CassandraStore<O extends CassandraOptions = CassandraOptions> = Store<
  Bytes,
  CassandraCapabilities<ConditionsOf<O>, Chosen<O, 'durability', CassandraDurability, 'buffered'>>,
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
  return openStore(settingsOf(options)) as unknown as CassandraStore<O>
}

/**
 * Make the keyspace and the table of these options, if they are missing: as `prepare: true` does on first use, for
 * deployments where the application may not create tables.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareCassandra(options: CassandraOptions): Promise<void> {
  await openOnce(openStore({ ...settingsOf(options), prepare: true }))
}
