import { newVersion, StoreError } from '@unikv/core'
import { isUnchanged, noGroup } from '@unikv/core/adapter'
import type { SqliteDatabase } from '../client/sqlite-client.ts'
import type { FileSettings } from '../options.ts'
import type { GroupRead, GroupReadAnswer, GroupWrite } from './group-jobs.ts'
import { type GroupStatements, groupStatements, hasGroups, makeGroups } from './group-table.ts'
import { GroupView } from './group-view.ts'

/** Names of a page. */
const namesPerPage = 1_000

/** Does the work on groups inside of a transaction that somebody else begins and ends. */
export class GroupEngine {
  readonly #database: SqliteDatabase
  readonly #settings: Pick<FileSettings, 'table' | 'prepare'>
  #statements: GroupStatements | undefined

  constructor(database: SqliteDatabase, settings: Pick<FileSettings, 'table' | 'prepare'>) {
    this.#database = database
    this.#settings = settings
  }

  /** Use no statement again that was prepared: one may have failed, or the tables may be gone with a rollback. */
  renew(): void {
    this.#statements = undefined
  }

  read<K extends GroupRead['kind']>(read: Extract<GroupRead, { readonly kind: K }>): GroupReadAnswer[K]
  read(read: GroupRead): GroupReadAnswer[GroupRead['kind']] {
    const statements = this.#ready()
    if (statements === undefined) return nothingOf(read)
    if (read.kind === 'step') return stepOf(statements, read)
    if (read.kind === 'list') return new GroupView(statements, read.group).entriesIn(read.range)
    if (read.kind === 'names') return namesOf(statements, read)
    return read.keys.map(({ group, key }) => new GroupView(statements, group).valueOf(key))
  }

  /** Resolves to whether it took effect. */
  write(write: GroupWrite): boolean {
    const statements = this.#ready() ?? this.#made()
    return write.kind === 'commit' ? commitTo(statements, write) : forgetIn(statements, write)
  }

  #ready(): GroupStatements | undefined {
    const { table, prepare } = this.#settings
    if (this.#statements === undefined && hasGroups(this.#database, table))
      this.#statements = groupStatements(this.#database, table)
    if (this.#statements === undefined && !prepare) throw notPrepared()
    return this.#statements
  }

  #made(): GroupStatements {
    const { table } = this.#settings
    makeGroups(this.#database, table)
    return (this.#statements = groupStatements(this.#database, table))
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
