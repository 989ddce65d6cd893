import type { Bytes, Json, Store } from '@unikv/core'
import type { DocumentsOf, SqliteCapabilities } from './capabilities.ts'
import type { SqliteDatabase } from './file/sqlite-client.ts'
import { openStore } from './open.ts'
import { type SqliteOptions, settingsOf } from './options.ts'
import { bytesForm, documentForm } from './values.ts'

/**
 * A SQLite store. `native` is a connection of `libsql` to the same file in the caller's thread; asking for it opens the
 * file.
 */
export type SqliteStore<O extends SqliteOptions = SqliteOptions> = Store<
  DocumentsOf<O> extends true ? Json : Bytes,
  SqliteCapabilities<O>,
  SqliteDatabase
>

/**
 * A table in a file of SQLite, by the synchronous client `libsql` on worker threads: ordered, transactional, shared
 * with other processes of the machine. Each call of `write` is done as a whole.
 *
 * Nothing is opened before the first call, and `libsql` is loaded by it.
 *
 * @throws {StoreError} `INVALID_CONFIG` for settings that cannot be
 */
export function sqlite<const O extends SqliteOptions>(options: O): SqliteStore<O> {
  const settings = settingsOf(options)
  const store = settings.file.documents ? openStore(settings, documentForm) : openStore(settings, bytesForm)
  return store as unknown as SqliteStore<O> // the options say which of the two it is
}
