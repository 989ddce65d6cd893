import type { Bytes, Json, Store } from '@unikv/core'
import { type Chosen, openGroupsOnce, openOnce } from '@unikv/core/adapter'
import type { PostgresCapabilities, PostgresDurability } from './capabilities.ts'
import type { PostgresNative } from './client/native.ts'
import type { PostgresPool } from './client/postgres-client.ts'
import { openStore } from './open.ts'
import { type PostgresOptions, settingsOf } from './options.ts'
import { bytesForm, documentForm } from './values.ts'

/** The PostgreSQL store: what it holds and its native client depend on the options. */
export type PostgresStore<O extends PostgresOptions = PostgresOptions> = Store<
  O extends { readonly values: 'document' } ? Json : Bytes,
  PostgresCapabilities<
    O extends { readonly values: 'document' } ? true : false,
    Chosen<O, 'durability', PostgresDurability, 'buffered'>
  >,
  O extends { readonly pool: infer P extends PostgresPool } ? P : PostgresNative
>

/**
 * A table in PostgreSQL, by pg. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function postgres<const O extends PostgresOptions>(options: O): PostgresStore<O> {
  const settings = settingsOf(options)
  const store = settings.documents ? openStore(settings, documentForm) : openStore(settings, bytesForm)
  return store as unknown as PostgresStore<O> // the options say which of the two it is
}

/**
 * Make the table of these options, if it is missing: as `prepare: true` does on first use, for deployments where
 * the application may not create tables.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function preparePostgres(options: PostgresOptions): Promise<void> {
  await openOnce(openStore({ ...settingsOf(options), prepare: true }, bytesForm))
}

/**
 * Make the table of the groups of these options, `<table>_groups`, if it is missing: for transactions of `@unikv/entity` where the
 * application may not create tables. `preparePostgres` comes first.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function preparePostgresGroups(options: PostgresOptions): Promise<void> {
  await openGroupsOnce(openStore({ ...settingsOf(options), prepare: true }, bytesForm))
}
