import type { Bytes, Store } from '@unikv/core'
import { type Chosen, openOnce } from '@unikv/core/adapter'
import type { HbaseCapabilities, HbaseDurability } from './capabilities.ts'
import type { HbaseRest } from './client/rest-client.ts'
import { openStore } from './open.ts'
import { type HbaseOptions, settingsOf } from './options.ts'

/** The HBase store that these options make. */
export type HbaseStore<O extends HbaseOptions = HbaseOptions> = Store<
  Bytes,
  HbaseCapabilities<Chosen<O, 'durability', HbaseDurability, 'buffered'>>,
  HbaseRest
>

/**
 * Rows of a table in HBase, by its REST gateway. Nothing is connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function hbase<const O extends HbaseOptions>(options: O): HbaseStore<O> {
  return openStore(settingsOf(options)) as unknown as HbaseStore<O>
}

/**
 * Make the table of these options, if it is missing: as `prepare: true` does on first use, for deployments where the
 * application may not create tables.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareHbase(options: HbaseOptions): Promise<void> {
  await openOnce(openStore({ ...settingsOf(options), prepare: true }))
}
