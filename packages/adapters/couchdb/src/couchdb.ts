import type { Bytes, Json, Store } from '@unikv/core'
import { type Chosen, openOnce } from '@unikv/core/adapter'
import type { CouchdbCapabilities } from './capabilities.ts'
import type { CouchdbNative } from './client/native.ts'
import { bytesForm, documentForm } from './document.ts'
import { openStore } from './open.ts'
import { type CouchdbDurability, type CouchdbOptions, settingsOf } from './options.ts'

/** The CouchDB store: what it holds and declares depends on the options. */
export type CouchdbStore<O extends CouchdbOptions = CouchdbOptions> = Store<
  O extends { readonly values: 'document' } ? Json : Bytes,
  CouchdbCapabilities<
    O extends { readonly values: 'document' } ? true : false,
    Chosen<O, 'durability', CouchdbDurability, 'flushed'>,
    Chosen<O, 'isolation', 'linearizable' | 'eventual', 'eventual'>
  >,
  CouchdbNative
>

/**
 * A database in CouchDB or Cloudant. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function couchdb<const O extends CouchdbOptions>(options: O): CouchdbStore<O> {
  const settings = settingsOf(options)
  const store = settings.documents ? openStore(settings, documentForm) : openStore(settings, bytesForm)
  return store as unknown as CouchdbStore<O> // the options say which of the two it is
}

/**
 * Make the database of these options, if it is missing, and the document by which it is known: the same as `prepare: true`
 * on first use, for deployments where the application may not create databases.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a database of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareCouchdb(options: CouchdbOptions): Promise<void> {
  await openOnce(openStore({ ...settingsOf(options), prepare: true }, bytesForm))
}
