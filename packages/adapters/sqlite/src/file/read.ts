import type { Entry, Page, Read, ReadResult, ScanEntry, ScanRange, StoreError, Version } from '@unikv/core'
import { boundsBeyond, byteBounds, knownVersionBytes, notARecord } from '@unikv/core/adapter'
import type { AnswerOf, Job, Stored } from '../jobs.ts'
import type { SqliteValue } from './sqlite-client.ts'
import type { Statements } from './statements.ts'

/** version as hexadecimal digits in capitals, expires_at, value; without a value where none was asked for. */
type Row = readonly [version: SqliteValue, expiresAt: SqliteValue, value?: SqliteValue]

const versionDigits = 24

/** One key's record. */
export function readOne(
  statements: Statements,
  { key, head, ifNotVersion }: Read,
  now: number,
): ReadResult<Stored> {
  const k = Buffer.from(key)
  if (head === true) return resultOf(statements.of('head').get([k, now]) as Row | undefined)
  if (ifNotVersion === undefined) return resultOf(statements.of('read').get([k, now]) as Row | undefined)
  const known = knownVersionBytes(ifNotVersion)
  return resultOf(statements.of('unless').get([known, k, now]) as Row | undefined)
}

function resultOf(row: Row | undefined): ReadResult<Stored> {
  if (row === undefined) return undefined
  // With an index: to destructure an array takes an iterator.
  const value = row[2]
  if (value !== null && value !== undefined) return entryOf(row)
  const version = versionIn(row)
  if (version.length !== versionDigits) return notARecord()
  return { notModified: true, version, expiresAt: timeOf(row[1]) }
}

function entryOf(row: Row): Entry<Stored> | StoreError {
  const version = versionIn(row)
  if (version.length !== versionDigits) return notARecord()
  return { value: row[2] as Stored, version, expiresAt: timeOf(row[1]) }
}

/** The column, as a time. */
export function timeOf(expiresAt: SqliteValue): number | undefined {
  return expiresAt === null ? undefined : Number(expiresAt)
}

/**
 * One page of a range. Where it ends is a key, so that a key that lives throughout a scan is listed once, for any
 * changes between two pages.
 */
export function pageOf(statements: Statements, range: ScanRange, now: number): Page<Stored> {
  const { values, pageSize, resume, reverse = false } = range
  let bounds = byteBounds(range, resume === undefined ? undefined : Buffer.from(resume))
  while (true) {
    const { start, end } = bounds
    const direction = reverse ? 'Reverse' : ''
    const what = `${values ? 'rows' : 'keys'}${end === undefined ? 'From' : 'Between'}${direction}` as const
    const keys = end === undefined ? [start] : [start, end]
    const rows = statements.of(what).all([...keys, now, pageSize]) as readonly PageRow[]
    const entries = rows.flatMap((row) => listed(row, values))
    const isLast = rows.length < pageSize
    if (isLast || entries.length > 0) return isLast ? { entries } : { entries, resume: entries.at(-1)?.key }
    // Nothing but keys of others, which are not listed.
    const [met] = rows.at(-1) as PageRow
    bounds = boundsBeyond(met, bounds, reverse)
  }
}

/** The answer to a query. */
export function foundBy(statements: Statements, { text, values, ofRecords }: FindJob): AnswerOf['find'] {
  const rows = statements.query(text).all(values)
  if (!ofRecords) return [rows[0] as readonly SqliteValue[]]
  return { entries: (rows as readonly PageRow[]).flatMap((row) => listed(row, true)) }
}

type FindJob = Extract<Job, { readonly verb: 'find' }>

type PageRow = readonly [key: Uint8Array, ...Row]

function listed([bytes, ...row]: PageRow, values: boolean): readonly ScanEntry<Stored>[] {
  const key = textOf(bytes)
  // Keys of ours are text.
  if (key === undefined) return []
  return values ? [{ key, entry: entryOf(row) }] : [{ key }]
}

/** The first column. A version that is none is told as it is, and equals none. */
export function versionIn(row: readonly (SqliteValue | undefined)[]): Version {
  return String(row[0]).toLowerCase()
}

/** libsql gives Buffers. */
function textOf(bytes: Uint8Array): string | undefined {
  const text = (bytes as Buffer).toString()
  return Buffer.from(text).equals(bytes) ? text : undefined
}
