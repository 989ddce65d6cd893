import type {
  ConditionFailed,
  DeleteMutation,
  IncrementMutation,
  Mutation,
  SetMutation,
  TouchMutation,
  Version,
  WriteResult,
} from '@unikv/core'
import { incremented, isStoreError, knownVersionBytes, versionBytes } from '@unikv/core/adapter'
import type { Stored } from '../jobs.ts'
import { timeOf, versionIn } from './read.ts'
import type { SqliteValue } from './sqlite-client.ts'
import type { Statements } from './statements.ts'

/** The tools that a mutation is done with. */
export interface Target {
  readonly statements: Statements
  /** Wall clock in milliseconds. */
  readonly now: number
  /** Values are the text of documents. */
  readonly documents: boolean
}

/** One mutation, its condition and all, in one statement; a counter is read and written by two of a transaction. */
export function mutate(target: Target, mutation: Mutation<Stored>): WriteResult {
  const key = Buffer.from(mutation.key)
  if (mutation.type === 'set') return set(target, key, mutation)
  if (mutation.type === 'delete') return remove(target, key, mutation)
  return mutation.type === 'touch' ? touch(target, key, mutation) : increment(target, key, mutation)
}

function set(target: Target, key: Buffer, mutation: SetMutation<Stored>): WriteResult {
  const { statements, now } = target
  const { version, ifVersion, value, expiresAt } = mutation
  const keep = expiresAt === 'keep'
  const token = versionBytes(version)
  const expiry = keep ? null : column(expiresAt)
  if (ifVersion === undefined) {
    if (keep) statements.of('upsertKeep').run([key, token, null, value, now])
    else statements.of('upsert').run([key, token, expiry, value])
    return { version }
  }
  if (ifVersion === null)
    return done(statements.of('insert').get([key, token, expiry, value, now]))
      ? { version }
      : failed(target, key)
  const known = knownVersionBytes(ifVersion)
  const row = keep
    ? statements.of('replaceKeep').get([token, value, key, known, now])
    : statements.of('replace').get([token, value, expiry, key, known, now])
  return done(row) ? { version } : failed(target, key)
}

function remove(target: Target, key: Buffer, { version, ifVersion }: DeleteMutation): WriteResult {
  const { statements, now } = target
  if (ifVersion === undefined) {
    // All rows, not one: it is done when there are no more.
    const [row] = statements.of('remove').all([key, now]) as readonly (readonly SqliteValue[])[]
    return { version, existed: row?.[0] === 1 }
  }
  if (ifVersion === null)
    return present(target, key) === undefined ? { version, existed: false } : failed(target, key)
  const row = statements.of('removeVersion').get([key, knownVersionBytes(ifVersion), now])
  return done(row) ? { version, existed: true } : failed(target, key)
}

function touch(target: Target, key: Buffer, { ifVersion, expiresAt }: TouchMutation): WriteResult {
  const { statements, now } = target
  if (ifVersion === null) return failed(target, key)
  const expiry = column(expiresAt)
  const row =
    ifVersion === undefined
      ? statements.of('touch').get([expiry, key, now])
      : statements.of('touchVersion').get([expiry, key, now, knownVersionBytes(ifVersion)])
  return done(row) ? { version: versionIn(row as readonly SqliteValue[]) } : failed(target, key)
}

function increment(target: Target, key: Buffer, mutation: IncrementMutation): WriteResult {
  const { statements, now, documents } = target
  const { version, ifVersion, expiresAt } = mutation
  const row = statements.of('read').get([key, now]) as readonly SqliteValue[] | undefined
  const found = row === undefined ? null : versionIn(row)
  if (ifVersion !== undefined && ifVersion !== found) return failed(target, key)
  const body = row === undefined ? undefined : Buffer.from(row[2] as Stored as Uint8Array)
  const value = incremented(body, mutation)
  if (isStoreError(value)) return value
  const text = String(value)
  const expiry = row === undefined ? column(expiresAt) : (row[1] as SqliteValue)
  statements.of('upsert').run([key, versionBytes(version), expiry, documents ? text : Buffer.from(text)])
  return { version, value, expiresAt: timeOf(expiry) }
}

function failed(target: Target, key: Buffer): ConditionFailed {
  return { conditionFailed: true, version: present(target, key) }
}

/** The version of the record that lives. */
export function present({ statements, now }: Target, key: Buffer): Version | undefined {
  const row = statements.of('head').get([key, now]) as readonly SqliteValue[] | undefined
  return row === undefined ? undefined : versionIn(row)
}

function done(row: unknown): boolean {
  return row !== undefined
}

function column(expiresAt: number | undefined): SqliteValue {
  return expiresAt === undefined ? null : Math.floor(expiresAt)
}
