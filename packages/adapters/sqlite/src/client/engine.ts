import type { Mutation, Read, ReadResult, WriteResult } from '@unikv/core'
import { isStoreError, StoreError } from '@unikv/core/adapter'
import { isBusy, isFull, isTooMuch, sqliteError } from '../errors.ts'
import { checkInPlace, distrust, isKnown, remember } from '../file/file-identity.ts'
import { mutate, type Target } from '../file/mutate.ts'
import { Place } from '../file/place.ts'
import { pageOf, readOne } from '../file/read.ts'
import { Statements } from '../file/statements.ts'
import { openFile, prepareTable } from '../file/table.ts'
import { GroupEngine } from '../groups/group-engine.ts'
import type { FileSettings } from '../options.ts'
import type { GroupWriteJob, Job, Outcome, Stored, WriteJob } from './jobs.ts'
import type { SqliteDatabase } from './sqlite-client.ts'

/** Expired rows that go with one write that sets an expiry: more than it can add. */
const sweptRows = 64
/** Those that go at once where there is no room. */
const sweptForRoom = 1_000

/**
 * The file, open in this thread. Does jobs at once; opens with the first one. A connection stays when something fails, as
 * libsql lets go of its descriptors only when its statements are collected.
 */
export class Engine {
  readonly #settings: FileSettings
  #database: SqliteDatabase | undefined
  /** Of the connection. */
  #place: Place | undefined
  #statements: Statements | undefined
  #groupEngine: GroupEngine | undefined
  /** Whether anybody else may use the connection. */
  #isShared = false

  constructor(settings: FileSettings) {
    this.#settings = settings
  }

  /** The connection of the driver, opened if it is not yet. @throws {StoreError} */
  get database(): SqliteDatabase {
    this.#opened()
    this.#isShared = true
    return this.#database as SqliteDatabase
  }

  /** Jobs that came together, all writes or none. Writes share one transaction, each as a whole within it. */
  run(jobs: readonly Job[], now: number): readonly Outcome[] {
    try {
      const statements = this.#opened()
      const target = { statements, now, documents: this.#settings.documents }
      if (jobs[0]?.verb === 'groupWrite') return this.#changeGroups(jobs as readonly GroupWriteJob[])
      if (jobs[0]?.verb === 'write') return this.#writeAll(target, jobs as readonly WriteJob[])
      return jobs.map((job) => ({ answer: this.#ask(statements, job, now) }))
    } catch (error) {
      return jobs.map(() => ({ error: this.#failed(error, false) }))
    }
  }

  /** One call that reads. @throws {StoreError} */
  read(reads: readonly Read[], now: number): readonly ReadResult<Stored>[] {
    try {
      return this.#readAll(this.#opened(), reads, now)
    } catch (error) {
      throw this.#failed(error, false)
    }
  }

  /** Leave the file whole. libsql lets go of it when the statements are collected, and in a thread that ends at once. */
  close(): void {
    const database = this.#database
    this.#statements = undefined
    this.#groupEngine = undefined
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

  #opened(): Statements {
    if (this.#statements !== undefined) return this.#statements
    const { path, table, identity } = this.#settings
    checkInPlace(identity, path)
    const database = this.#connected()
    prepareTable(database, this.#settings)
    this.#place?.noteLog()
    if (!isKnown(identity)) remember(identity, path)
    this.#statements = new Statements(database, table)
    return this.#statements
  }

  /** The connection of the attempt before, if there was one and its file is there still. */
  #connected(): SqliteDatabase {
    if (this.#place?.holds === false) this.close()
    if (this.#database === undefined) {
      this.#database = openFile(this.#settings)
      this.#place = new Place(this.#settings.path)
    }
    return this.#database
  }

  #failed(error: unknown, isWrite: boolean): StoreError {
    // Transactions of others are left alone, and begin by `exec`, which leaves nothing behind.
    this.#groupEngine?.renew()
    if (!isStoreError(error)) this.#statements?.renew(isWrite && !this.#isShared && isBusy(error))
    return sqliteError(error, isWrite)
  }

  #ask(
    statements: Statements,
    job: Job,
    now: number,
  ): Extract<Outcome, { readonly answer: unknown }>['answer'] {
    if (job.verb === 'groupRead') return [this.#reading(statements, () => this.#groups.read(job.read))]
    if (job.verb === 'scan') return pageOf(statements, job.range, now)
    return this.#readAll(statements, (job as Extract<Job, { readonly verb: 'read' }>).reads, now)
  }

  /** Of one snapshot: others may write in between. That takes less time, too, than a transaction for each read. */
  #readAll(statements: Statements, reads: readonly Read[], now: number): readonly ReadResult<Stored>[] {
    if (reads.length === 1) return [readOne(statements, reads[0] as Read, now)]
    return this.#reading(statements, () => reads.map((read) => readOne(statements, read, now)))
  }

  /** Work that sees one snapshot. */
  #reading<T>(statements: Statements, work: () => T): T {
    // Within a transaction that was begun by hand reads see what it has written.
    if (this.#isInTransaction) return work()
    statements.of('begin').run([])
    try {
      const results = work()
      statements.of('commit').run([])
      return results
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  get #groups(): GroupEngine {
    return (this.#groupEngine ??= new GroupEngine(this.#database as SqliteDatabase, this.#settings))
  }

  /** Somebody else's. */
  get #isInTransaction(): boolean {
    return this.#isShared && (this.#database as SqliteDatabase).inTransaction
  }

  /** Changes of groups, in one transaction: each checks what it depends on after the ones before. */
  #changeGroups(jobs: readonly GroupWriteJob[]): readonly Outcome[] {
    const database = this.#database as SqliteDatabase
    try {
      this.#checkInPlace()
      this.#begin(database)
      try {
        const outcomes = jobs.map(({ write }) => ({ answer: [this.#groups.write(write)] as const }))
        database.exec('COMMIT')
        return outcomes
      } catch (error) {
        this.#rollBack()
        throw error
      }
    } catch (error) {
      const failure = this.#failed(error, true)
      // One of them may want too much, which is not the fault of the others.
      if (jobs.length > 1 && isTooMuch(error)) return jobs.flatMap((job) => this.#changeGroups([job]))
      return jobs.map(() => ({ error: failure }))
    }
  }

  #writeAll(target: Target, jobs: readonly WriteJob[]): readonly Outcome[] {
    try {
      this.#checkInPlace()
      return this.#transaction(target, jobs)
    } catch (error) {
      const failure = this.#failed(error, true)
      // What one call wants too much is not to be the fault of the others: each by itself.
      if (jobs.length > 1 && isTooMuch(error)) return jobs.flatMap((job) => this.run([job], target.now))
      if (isFull(error) && this.#makesRoom(target)) return this.#writeAll(target, jobs)
      return jobs.map(() => ({ error: failure }))
    }
  }

  /** Remove expired records, as there is no room with them. Whether there were any. */
  #makesRoom({ statements, now }: Target): boolean {
    const database = this.#database as SqliteDatabase
    try {
      this.#begin(database)
      const { changes } = statements.of('sweep').run([now, sweptForRoom]) as { readonly changes: number }
      database.exec('COMMIT')
      return changes > 0
    } catch {
      // That there is no room is what the caller hears.
      this.#rollBack()
      return false
    }
  }

  #transaction(target: Target, jobs: readonly WriteJob[]): readonly Outcome[] {
    const database = this.#database as SqliteDatabase
    const isAlone = jobs.length === 1
    const only = isAlone ? oneStatementOf(jobs[0] as WriteJob) : undefined
    // Found locked, it would have to be ended, which others on the connection would notice.
    if (only !== undefined && !this.#isShared) return [{ answer: [mutate(target, only)] }]
    this.#begin(database)
    try {
      const outcomes = jobs.map(({ mutations }) => ({ answer: asWhole(target, mutations, isAlone) }))
      const isRefused = isAlone && outcomes[0]?.answer.some(isStoreError)
      if (!isRefused && jobs.some(({ mutations }) => mutations.some(setsExpiry)))
        target.statements.of('sweep').run([target.now, sweptRows])
      database.exec(isRefused ? 'ROLLBACK' : 'COMMIT')
      return outcomes
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** By `exec`, as it waits for others. Nothing is written before. @throws {StoreError} */
  #begin(database: SqliteDatabase): void {
    if (this.#isInTransaction) throw byHand()
    try {
      database.exec('BEGIN IMMEDIATE')
    } catch (error) {
      throw sqliteError(error, false)
    }
  }

  /** SQLite has done so itself after some errors. A connection that cannot is of no use. */
  #rollBack(): void {
    try {
      if (this.#database?.inTransaction === true) this.#database.exec('ROLLBACK')
    } catch {
      this.close()
    }
  }

  #checkInPlace(): void {
    const { identity, path } = this.#settings
    try {
      if (this.#place?.hasLostLog === true) distrust(identity)
      checkInPlace(identity, path)
    } catch (error) {
      // Later calls are to meet this too, not the file that is gone.
      this.close()
      throw error
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

/**
 * The mutations of one call: all of them, but for those whose condition does not hold, or none. A call that is alone in
 * its transaction is undone with it.
 */
function asWhole(
  target: Target,
  mutations: readonly Mutation<Stored>[],
  isAlone: boolean,
): readonly WriteResult[] {
  const { statements } = target
  // One mutation that is refused has changed nothing.
  const inside = !isAlone && mutations.length > 1
  if (inside) statements.of('savepoint').run([])
  const results = mutations.map((mutation) => mutate(target, mutation))
  const refusal = results.find((result) => isStoreError(result))
  if (inside && refusal !== undefined) statements.of('undo').run([])
  if (inside) statements.of('release').run([])
  return refusal === undefined
    ? results
    : results.map((result) => (isStoreError(result) ? result : refusedToo(refusal)))
}

/** The mutation, if one statement does it: that is a transaction of its own, which spares two calls of the driver. */
function oneStatementOf({ mutations }: WriteJob): Mutation<Stored> | undefined {
  const mutation = mutations[0] as Mutation<Stored>
  if (mutations.length > 1 || mutation.ifVersion !== undefined) return undefined
  const isOne = mutation.type === 'delete' || (mutation.type === 'set' && !setsExpiry(mutation))
  return isOne ? mutation : undefined
}

function setsExpiry(mutation: Mutation<Stored>): boolean {
  return mutation.type !== 'delete' && typeof mutation.expiresAt === 'number'
}

/** The error of the mutations that go with one that was refused. */
export function refusedToo({ code }: StoreError): StoreError {
  return new StoreError(
    code,
    'Another write of this call was rejected, and a call takes effect as a whole or not at all.',
  )
}
