import type { Bytes, Json, Store } from '@unikv/core'
import { type Chosen, openOnce } from '@unikv/core/adapter'
import type { MongoClient } from 'mongodb'
import type { MongodbCapabilities } from './capabilities.ts'
import type { MongodbDurability } from './client/consistency.ts'
import type { MongodbNative } from './client/mongodb-client.ts'
import { openStore } from './open.ts'
import { type MongodbOptions, settingsOf } from './options.ts'
import { bytesForm, documentForm } from './values.ts'

/** The MongoDB store: what it holds and its native client depend on the options. */
export type MongodbStore<O extends MongodbOptions = MongodbOptions> = Store<
  O extends { readonly values: 'document' } ? Json : Bytes,
  MongodbCapabilities<
    O extends { readonly values: 'document' } ? true : false,
    Chosen<O, 'durability', MongodbDurability, 'flushed'>
  >,
  O extends { readonly client: infer C extends MongoClient } ? C : MongodbNative
>

/**
 * A collection in MongoDB, by the driver mongodb. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function mongodb<const O extends MongodbOptions>(options: O): MongodbStore<O> {
  const settings = settingsOf(options)
  const store = settings.documents ? openStore(settings, documentForm) : openStore(settings, bytesForm)
  return store as unknown as MongodbStore<O> // the options say which of the two it is
}

/**
 * Make the collection of these options and its index, if they are missing: as `prepare: true` does on first use, for
 * deployments where the application may not create collections.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a collection of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareMongodb(options: MongodbOptions): Promise<void> {
  await openOnce(openStore({ ...settingsOf(options), prepare: true }, bytesForm))
}
