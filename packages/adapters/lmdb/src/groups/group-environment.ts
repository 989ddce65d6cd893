import { type GroupCall, StoreError } from '@unikv/core'
import { bounded, closed, endOf } from '@unikv/core/adapter'
import { checkTime } from '../batch.ts'
import { inOwnTurn } from '../client/foreign-globals.ts'
import type { LmdbDatabase } from '../client/lmdb-client.ts'
import { Environment } from '../environment/environment.ts'
import { sizeOf } from '../environment/size.ts'
import { lmdbError } from '../errors.ts'
import type { LmdbSettings } from '../options.ts'
import type { OpenGroups } from './open-groups.ts'

/** The database of the groups, opened by the first call that needs it, and its transactions. */
export class GroupEnvironment {
  readonly #settings: LmdbSettings
  #opened: OpenGroups | undefined
  #isClosed = false

  constructor(settings: LmdbSettings) {
    this.#settings = settings
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const opened = this.#opened
    this.#opened = undefined
    await opened?.environment.close()
  }

  /** Reads the newest snapshot. Returns `none` while there is no database of groups. */
  reading<T>(call: GroupCall, none: T, work: (opened: OpenGroups) => T): T {
    const end = endOf(call, false)
    if (end !== undefined) throw end
    const opened = this.#open(false)
    if (opened === undefined) return none
    const { environment } = opened
    try {
      environment.snapshot.transaction.renew()
      return work(opened)
    } catch (error) {
      throw lmdbError(error, environment.folder)
    } finally {
      environment.letGo()
    }
  }

  /** In a write transaction, which makes the database if there is none. `bytes`: those of the values. */
  async writing(call: GroupCall, bytes: number, work: (database: LmdbDatabase) => boolean): Promise<boolean> {
    if (this.#settings.readOnly)
      throw new StoreError('ACCESS_DENIED', 'This store was opened with readOnly: true; nothing was changed.')
    const end = endOf(call, false)
    if (end !== undefined) throw end
    const { environment, database } = this.#open(true) as OpenGroups
    if (bytes > 0) environment.takeRoom(bytes)
    const action = (): boolean => {
      environment.renew()
      checkTime(call)
      const before = sizeOf(database.getStats())
      call.sent = true
      const result = work(database)
      this.#checkSize(before, database)
      return result
    }
    if (this.#settings.sync) return environment.writeNow(() => database.transactionSync(action))
    const written = environment.write(() => inOwnTurn(() => database.childTransaction(action)))
    environment.track(written)
    return bounded(call, true, () => written, nothing)
  }

  #checkSize(before: number, database: LmdbDatabase): void {
    const { maxBytes } = this.#settings
    if (sizeOf(database.getStats()) <= Math.max(maxBytes, before)) return
    throw new StoreError(
      'STORE_FULL',
      'The groups have reached maxBytes; nothing was changed. Delete records, or raise maxBytes.',
    )
  }

  #open(isWrite: boolean): OpenGroups | undefined {
    if (this.#isClosed) throw closed()
    if (this.#opened !== undefined) return this.#opened
    const { dataset, prepare } = this.#settings
    const environment = Environment.open(this.#settings, isWrite && prepare)
    try {
      const database = environment?.database(`${dataset}.groups`, prepare)
      if (environment !== undefined && database !== undefined) this.#opened = { environment, database }
      else if (isWrite || !prepare) throw notPrepared()
    } catch (error) {
      void environment?.close()
      throw error
    }
    return this.#opened
  }
}

function notPrepared(): StoreError {
  return new StoreError(
    'NOT_PREPARED',
    'There are no groups in this dataset. Leave out prepare: false and readOnly to create them.',
  )
}

function nothing(): void {}
