import { randomBytes } from 'node:crypto'
import {
  type Bytes,
  type GroupCall,
  type GroupEntry,
  type GroupKey,
  type GroupRange,
  StoreError,
} from '@unikv/core'
import {
  bounded,
  closed,
  endOf,
  type GroupCommit,
  type GroupStep,
  type GroupStepAnswer,
  isUnchanged,
  type NumberedStore,
} from '@unikv/core/adapter'
import { nextTurn } from '@unikv/core/platform'
import { checkTime } from '../batch.ts'
import { inOwnTurn } from '../client/foreign-globals.ts'
import type { LmdbDatabase } from '../client/lmdb-client.ts'
import { Environment } from '../environment/environment.ts'
import { sizeOf } from '../environment/size.ts'
import { lmdbError } from '../errors.ts'
import type { LmdbSettings } from '../options.ts'
import { nameBytes, recordKey } from './group-keys.ts'
import { type NamesPage, namesFrom } from './group-names.ts'
import { changedAtIn, headOf, recordOf } from './group-values.ts'
import { GroupView } from './group-view.ts'
import type { OpenGroups } from './open-groups.ts'

/** Most bytes of a group and a key in it: LMDB takes 1,978, less the ends and the escapes of a name. */
export const maxGroupKeyBytes = 900
const noNames: NamesPage = { names: [], next: undefined }

/** Groups in a database of their own beside that of the dataset: a commit checks and changes in one write transaction. */
export class LmdbGroups implements NumberedStore {
  readonly #settings: LmdbSettings
  #opened: OpenGroups | undefined
  #isClosed = false

  constructor(settings: LmdbSettings) {
    this.#settings = settings
  }

  step({ group, keys, range, check }: GroupStep, call: GroupCall): GroupStepAnswer | undefined {
    return this.#reading(
      call,
      { head: { birth: '', commits: 0 }, values: keys.map(() => undefined), entries: [] },
      (opened) => {
        const view = viewOf(opened, group)
        if (check !== undefined && !isUnchanged(check, view)) return undefined
        const values = keys.map((key) => view.valueOf(key))
        return { head: view.head, values, entries: range === undefined ? [] : view.entriesIn(range) }
      },
    )
  }

  commit(commit: GroupCommit, call: GroupCall): Promise<boolean> {
    return this.#writing(
      call,
      commit.changes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0),
      (database) => {
        const view = new GroupView(database, commit.group, undefined)
        if (commit.check !== undefined && !isUnchanged(commit.check, view)) return false
        const birth = view.head.birth || randomBytes(8).toString('hex')
        const commits = view.head.commits + 1
        void database.put(view.start, headOf({ birth, commits }, commit.now))
        for (const { key, value } of commit.changes) {
          const stored = recordKey(view.start, key)
          if (value === undefined) void database.remove(stored)
          else void database.put(stored, recordOf(commits, value))
        }
        return true
      },
    )
  }

  read(keys: readonly GroupKey[], call: GroupCall): readonly (Bytes | undefined)[] {
    const none = keys.map(() => undefined)
    return this.#reading<readonly (Bytes | undefined)[]>(call, none, (opened) =>
      keys.map(({ group, key }) => viewOf(opened, group).valueOf(key)),
    )
  }

  list(group: string, range: GroupRange, call: GroupCall): readonly GroupEntry[] {
    return this.#reading<readonly GroupEntry[]>(call, [], (opened) => viewOf(opened, group).entriesIn(range))
  }

  async *names(prefix: string, call: GroupCall): AsyncGenerator<readonly string[]> {
    let from: Buffer | undefined = nameBytes(prefix)
    while (from !== undefined) {
      const start: Buffer = from
      const page = this.#reading(call, noNames, (opened) => namesFrom(opened, start, prefix))
      if (page.names.length > 0) yield page.names
      from = page.next
      await nextTurn()
    }
  }

  forget(group: string, before: number, call: GroupCall): Promise<boolean> {
    return this.#writing(call, 0, (database) => {
      const view = new GroupView(database, group, undefined)
      if (view.storedHead === undefined || !view.isEmpty || changedAtIn(view.storedHead) >= before)
        return false
      void database.remove(view.start)
      return true
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const opened = this.#opened
    this.#opened = undefined
    await opened?.environment.close()
  }

  /** In the newest snapshot; `none` where there is no environment yet. */
  #reading<T>(call: GroupCall, none: T, work: (opened: OpenGroups) => T): T {
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

  /** In a write transaction. */
  async #writing(
    call: GroupCall,
    bytes: number,
    work: (database: LmdbDatabase) => boolean,
  ): Promise<boolean> {
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
      const database = environment?.database(`${dataset}_groups`, prepare)
      if (environment !== undefined && database !== undefined) this.#opened = { environment, database }
      else if (isWrite || !prepare) throw notPrepared()
    } catch (error) {
      void environment?.close()
      throw error
    }
    return this.#opened
  }
}

function viewOf({ database, environment }: OpenGroups, group: string): GroupView {
  return new GroupView(database, group, environment.snapshot)
}

function notPrepared(): StoreError {
  return new StoreError(
    'NOT_PREPARED',
    'There are no groups in this dataset. Leave out prepare: false and readOnly to create them.',
  )
}

function nothing(): void {}
