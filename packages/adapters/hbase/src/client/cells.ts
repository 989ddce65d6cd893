import type { Bytes, StoreError } from '@unikv/core'
import { oddAnswer } from '@unikv/core/http-client'
import { isPlainObject } from '@unikv/core/platform'

/*
 * A row is one record: `family:h` holds the record header (version and expiry), `family:b` the body. The header alone
 * is what conditions compare. A deleted record is a row with an empty header: to HBase a condition "the cell is
 * empty" holds for such a row and for no row at all. Rows are not deleted right away, because a deletion of HBase also
 * hides what is written after it in the same millisecond.
 */

/** The two columns of a record, encoded. */
export interface Columns {
  readonly header: string
  readonly body: string
  /** Both as they stand in addresses. */
  readonly headerName: string
  readonly bodyName: string
}

/** The columns of a family. */
export function columnsOf(family: string): Columns {
  return {
    header: base64(`${family}:h`),
    body: base64(`${family}:b`),
    headerName: `${family}:h`,
    bodyName: `${family}:b`,
  }
}

/** A row as the gateway takes and gives it; strings are Base64. */
export interface Row {
  readonly key: string
  readonly Cell: readonly Cell[]
}

/** One cell of a row. */
export interface Cell {
  readonly column: string
  /** Milliseconds; the region server's time where it is left out. */
  readonly timestamp?: number | undefined
  /** The value. */
  readonly $?: string | undefined
}

/** A record in a row. */
export interface Found {
  /** Empty: nothing, or what a deletion left. */
  readonly header: Buffer
  readonly body: Buffer
  /** When the header was written, by the clock of the region server. */
  readonly writtenAt: number
}

const nothing: Buffer = Buffer.alloc(0)

/** Stands for an absent row. */
export const absent: Found = { header: nothing, body: nothing, writtenAt: 0 }

/** The rows of an answer. */
export function rowsOf(body: Buffer): readonly Row[] {
  try {
    const { Row: rows } = JSON.parse(body.toString()) as { readonly Row: readonly Row[] }
    if (Array.isArray(rows) && rows.every(isRow)) return rows
  } catch {
    // It is said below what it is not.
  }
  throw notHbase(false)
}

function isRow(row: unknown): row is Row {
  if (!isPlainObject(row) || typeof row['key'] !== 'string') return false
  const { Cell: cells } = row
  return (
    Array.isArray(cells) && cells.every((cell) => isPlainObject(cell) && typeof cell['column'] === 'string')
  )
}

/** The error for an answer that is none of the gateway. */
export function notHbase(isWrite: boolean): StoreError {
  return oddAnswer('The gateway', 'the REST gateway of HBase', isWrite)
}

/** The record of a row. */
export function foundIn({ Cell: cells }: Row, columns: Columns): Found {
  let header: Cell | undefined
  let body: Cell | undefined
  for (const cell of cells)
    if (cell.column === columns.header) header = cell
    else if (cell.column === columns.body) body = cell
  return {
    header: bytesOf(header),
    body: bytesOf(body),
    writtenAt: header?.timestamp ?? 0,
  }
}

function bytesOf(cell: Cell | undefined): Buffer {
  return cell?.$ === undefined ? nothing : Buffer.from(cell.$, 'base64')
}

/** Bytes or UTF-8 text as Base64. */
export function base64(value: string | Bytes): string {
  return typeof value === 'string'
    ? Buffer.from(value).toString('base64')
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
}
