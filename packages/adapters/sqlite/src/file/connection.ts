import { isStoreError, StoreError } from '@unikv/core/adapter'
import { isBusy, sqliteError } from '../errors.ts'
import type { FileSettings } from '../options.ts'
import { checkInPlace, distrust, isKnown, remember } from './file-identity.ts'
import { Place } from './place.ts'
import type { SqliteDatabase } from './sqlite-client.ts'
import { Statements } from './statements.ts'
import { openFile, prepareTable } from './table.ts'

/**
 * The file, open in this thread, and its transactions. Opens with the first work. It stays open when something fails, as
 * libsql lets go of its descriptors only when its statements are collected.
 */
export class Connection {
  readonly settings: FileSettings
  #database: SqliteDatabase | undefined
  #place: Place | undefined
  #statements: Statements | undefined
  #isShared = false

  constructor(settings: FileSettings) {
    this.settings = settings
  }

  /** The statements of the dataset; opens the file if it is not open yet. @throws {StoreError} */
  opened(): Statements {
    if (this.#statements !== undefined) return this.#statements
    const { path, table, identity } = this.settings
    checkInPlace(identity, path)
    const database = this.#connected()
    prepareTable(database, this.settings)
    this.#place?.noteLog()
    if (!isKnown(identity)) remember(identity, path)
    this.#statements = new Statements(database, table)
    return this.#statements
  }

  /** The connection of the driver, which is open. */
  get database(): SqliteDatabase {
    return this.#database as SqliteDatabase
  }

  /** Whether anybody else may use the connection. */
  get isShared(): boolean {
    return this.#isShared
  }

  /** The connection, opened if it is not yet, for somebody else. @throws {StoreError} */
  share(): SqliteDatabase {
    this.opened()
    this.#isShared = true
    return this.database
  }

  /** Leave the file whole. libsql lets go of it when the statements are collected, and in a thread that ends at once. */
  close(): void {
    const database = this.#database
    this.#statements = undefined
    this.#database = undefined
    if (database === undefined) return
    try {
      // Begun by hand: its lock would outlive this.
      if (database.inTransaction) database.exec('ROLLBACK')
      if (this.#place?.isTaken !== true) emptyLog(database)
    } catch {
      // It is as whole as it can be.
    } finally {
      database.close()
    }
  }

  /** The error of work that failed; statements that may be stuck are not used again. */
  failed(error: unknown, isWrite: boolean): StoreError {
    // Transactions of others are left alone, and begin by `exec`, which leaves nothing behind.
    if (!isStoreError(error)) this.#statements?.renew(isWrite && !this.#isShared && isBusy(error))
    return sqliteError(error, isWrite)
  }

  /** Work that sees one snapshot. */
  reading<T>(statements: Statements, work: () => T): T {
    // Within a transaction that was begun by hand reads see what it has written.
    if (this.#isInTransaction) return work()
    statements.of('begin').run([])
    try {
      const results = work()
      statements.of('commit').run([])
      return results
    } catch (error) {
      this.rollBack()
      throw error
    }
  }

  /** Work that writes, in one transaction. `isKept` looks at what came of it: `false` undoes it. */
  writing<T>(work: () => T, isKept: (result: T) => boolean = () => true): T {
    this.#begin()
    try {
      const result = work()
      this.database.exec(isKept(result) ? 'COMMIT' : 'ROLLBACK')
      return result
    } catch (error) {
      this.rollBack()
      throw error
    }
  }

  /** SQLite has done so itself after some errors. A connection that cannot is of no use. */
  rollBack(): void {
    try {
      if (this.#database?.inTransaction === true) this.#database.exec('ROLLBACK')
    } catch {
      this.close()
    }
  }

  /** @throws {StoreError} `NOT_PREPARED`: the file is not where it was opened */
  checkInPlace(): void {
    const { identity, path } = this.settings
    try {
      if (this.#place?.hasLostLog === true) distrust(identity)
      checkInPlace(identity, path)
    } catch (error) {
      // Later calls must meet this too, not the file that is gone.
      this.close()
      throw error
    }
  }

  /** The connection of the attempt before, if there was one and its file is there still. */
  #connected(): SqliteDatabase {
    if (this.#place?.holds === false) this.close()
    if (this.#database === undefined) {
      this.#database = openFile(this.settings)
      this.#place = new Place(this.settings.path)
    }
    return this.#database
  }

  /** Somebody else's. */
  get #isInTransaction(): boolean {
    return this.#isShared && this.database.inTransaction
  }

  /** Begins by `exec`, which waits for other writers. If it fails, nothing was written. @throws {StoreError} */
  #begin(): void {
    if (this.#isInTransaction) throw byHand()
    try {
      this.database.exec('BEGIN IMMEDIATE')
    } catch (error) {
      throw sqliteError(error, false)
    }
  }
}

/** Into the file. Not if somebody else is at it: then the last one will. */
function emptyLog(database: SqliteDatabase): void {
  database.exec('PRAGMA busy_timeout = 0')
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get([])
}

/** The same as if it were on another connection. */
function byHand(): StoreError {
  return new StoreError(
    'OVERLOADED',
    'A transaction begun on `native` is still open; nothing was changed. Commit it or roll it back.',
  )
}
