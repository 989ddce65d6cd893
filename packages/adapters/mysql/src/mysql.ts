import type { Bytes, Json, Store } from '@unikv/core'
import { type Chosen, openGroupsOnce, openOnce } from '@unikv/core/adapter'
import type { MysqlCapabilities, MysqlDurability } from './capabilities.ts'
import type { MysqlNative } from './client/native.ts'
import { openStore } from './open.ts'
import { type MysqlClient, type MysqlOptions, settingsOf } from './options.ts'
import { bytesForm, documentForm } from './values.ts'

/** The MySQL store: what it holds and its native client depend on the options. */
export type MysqlStore<O extends MysqlOptions = MysqlOptions> = Store<
  O extends { readonly values: 'document' } ? Json : Bytes,
  MysqlCapabilities<
    O extends { readonly values: 'document' } ? true : false,
    Chosen<O, 'durability', MysqlDurability, 'buffered'>
  >,
  O extends { readonly pool: infer P extends MysqlClient } ? P : MysqlNative
>

/**
 * A table in MySQL 8 or MariaDB, by mysql2 or mariadb. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function mysql<const O extends MysqlOptions>(options: O): MysqlStore<O> {
  const settings = settingsOf(options)
  const store = settings.documents ? openStore(settings, documentForm) : openStore(settings, bytesForm)
  return store as unknown as MysqlStore<O> // the options say which of the two it is
}

/**
 * Make the table of these options, if it is missing: as `prepare: true` does on first use, for deployments where
 * the application may not create tables.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareMysql(options: MysqlOptions): Promise<void> {
  await openOnce(openStore({ ...settingsOf(options), prepare: true }, bytesForm))
}

/**
 * Make the table of the groups of these options, `<table>_groups`, if it is missing: for transactions of `@unikv/entity` where the
 * application may not create tables. `prepareMysql` comes first.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareMysqlGroups(options: MysqlOptions): Promise<void> {
  await openGroupsOnce(openStore({ ...settingsOf(options), prepare: true }, bytesForm))
}
