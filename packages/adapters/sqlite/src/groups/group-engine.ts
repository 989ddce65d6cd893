import { newVersion } from '@unikv/core'
import { isStoreError, isUnchanged, noGroup, StoreError } from '@unikv/core/adapter'
import { isTooMuch } from '../errors.ts'
import type { Connection } from '../file/connection.ts'
import type { SqliteDatabase } from '../file/sqlite-client.ts'
import type { Statements } from '../file/statements.ts'
import type { GroupWriteJob, Outcome } from '../jobs.ts'
import type { GroupRead, GroupReadAnswer, GroupWrite } from './group-jobs.ts'
import { type GroupStatements, groupStatements, hasGroups, makeGroups } from './group-table.ts'
import { GroupView } from './group-view.ts'

/** Names of a page. */
const namesPerPage = 1_000

/** Does the jobs of groups. */
export class GroupEngine {
  readonly #connection: Connection
  #statements: GroupStatements | undefined
  /** The one that `#statements` belong to. */
  #database: SqliteDatabase | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The answer, or its own refusal: other reads of the same message are not concerned. Throws errors of SQLite. */
  answer(statements: Statements, read: GroupRead): Outcome<'groupRead'> {
    try {
      return { answer: [this.#connection.reading(statements, () => this.#read(read))] }
    } catch (error) {
      this.#statements = undefined
      if (!isStoreError(error)) throw error
      return { error }
    }
  }

  /** Changes of groups, in one transaction: each checks what it depends on after the ones before. */
  writeAll(jobs: readonly GroupWriteJob[]): readonly Outcome<'groupWrite'>[] {
    try {
      this.#connection.checkInPlace()
      return this.#connection.writing(() =>
        jobs.map(({ write }) => ({ answer: [this.#write(write)] as const })),
      )
    } catch (error) {
      // One may have failed, and the tables may be gone with the transaction.
      this.#statements = undefined
      const failure = this.#connection.failed(error, true)
      // One of them may want too much, which is not the fault of the others.
      if (jobs.length > 1 && isTooMuch(error)) return jobs.flatMap((job) => this.writeAll([job]))
      return jobs.map(() => ({ error: failure }))
    }
  }

  #read(read: GroupRead): GroupReadAnswer[GroupRead['kind']] {
    const statements = this.#found()
    if (statements === undefined) return nothingOf(read)
    if (read.kind === 'step') return stepOf(statements, read)
    if (read.kind === 'list') return new GroupView(statements, read.group).entriesIn(read.range)
    if (read.kind === 'names') return namesOf(statements, read)
    return read.keys.map(({ group, key }) => new GroupView(statements, group).valueOf(key))
  }

  /** Whether it took effect. */
  #write(write: GroupWrite): boolean {
    const found = this.#found()
    if (write.kind === 'commit') return commitTo(found ?? this.#made(), write)
    return found !== undefined && forgetIn(found, write)
  }

  /** `undefined`: there are no tables yet, and they may be made. @throws {StoreError} */
  #found(): GroupStatements | undefined {
    const { database, settings } = this.#connection
    if (this.#database !== database) this.#statements = undefined
    this.#database = database
    if (this.#statements === undefined && hasGroups(database, settings.table))
      this.#statements = groupStatements(database, settings.table)
    if (this.#statements === undefined && !settings.prepare) throw notPrepared()
    return this.#statements
  }

  #made(): GroupStatements {
    const { database, settings } = this.#connection
    makeGroups(database, settings.table)
    return (this.#statements = groupStatements(database, settings.table))
  }
}

function notPrepared(): StoreError {
  return new StoreError(
    'NOT_PREPARED',
    'There are no groups in this dataset. Leave out prepare: false and readOnly to create them.',
  )
}

function nothingOf(read: GroupRead): GroupReadAnswer[GroupRead['kind']] {
  if (read.kind === 'step') return { head: noGroup, values: read.step.keys.map(() => undefined), entries: [] }
  return read.kind === 'read' ? read.keys.map(() => undefined) : []
}

function stepOf(
  statements: GroupStatements,
  { step: { group, keys, range, check } }: Extract<GroupRead, { readonly kind: 'step' }>,
): GroupReadAnswer['step'] {
  const view = new GroupView(statements, group)
  if (check !== undefined && !isUnchanged(check, view)) return undefined
  const entries = range === undefined ? [] : view.entriesIn(range)
  return { head: view.head, values: keys.map((key) => view.valueOf(key)), entries }
}

function namesOf(
  { names }: GroupStatements,
  { prefix, after }: Extract<GroupRead, { readonly kind: 'names' }>,
): readonly string[] {
  const rows = names.all([Buffer.from(prefix), Buffer.from(after ?? ''), namesPerPage]) as readonly [
    Uint8Array,
  ][]
  const found = rows.map(([name]) => Buffer.from(name.buffer, name.byteOffset, name.length).toString())
  const end = found.findIndex((name) => !name.startsWith(prefix))
  return end === -1 ? found : found.slice(0, end)
}

function commitTo(
  statements: GroupStatements,
  { commit: { group, check, changes, now } }: Extract<GroupWrite, { readonly kind: 'commit' }>,
): boolean {
  const view = new GroupView(statements, group)
  if (check !== undefined && !isUnchanged(check, view)) return false
  const commits = view.head.commits + 1
  statements.putHead.run([view.name, view.head.birth || newVersion(), commits, Math.max(0, Math.floor(now))])
  for (const { key, value } of changes)
    if (value === undefined) statements.remove.run([view.name, Buffer.from(key)])
    else statements.put.run([view.name, Buffer.from(key), commits, value])
  return true
}

function forgetIn(
  statements: GroupStatements,
  { group, before }: Extract<GroupWrite, { readonly kind: 'forget' }>,
): boolean {
  const view = new GroupView(statements, group)
  if (view.changedAt === undefined || !view.isEmpty || view.changedAt >= before) return false
  statements.removeHead.run([view.name])
  return true
}
