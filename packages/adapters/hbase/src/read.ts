import {
  type Bytes,
  type CallOptions,
  isEntry,
  isStoreError,
  type Read,
  type ReadResult,
  type StoreError,
} from '@unikv/core'
import {
  inParallel,
  isRecord,
  notARecord,
  recordExpiresAt,
  recordHeaderBytes,
  recordVersion,
} from '@unikv/core/adapter'
import { absent, type Columns, type Found, foundIn, notHbase, type Row, rowsOf } from './client/cells.ts'
import type { Dataset } from './dataset.ts'
import { noteMet } from './met-expired.ts'

type Result = ReadResult<Bytes>

/** Most characters of keys in one address: the gateway takes 64 KiB of headers. */
const addressChars = 48_000
/** Most keys in one request: the gateway asks for one after the other. */
const requestKeys = 250
/** Characters around each of them. */
const parameterChars = 8
/** The status of an answer without any row; `Gateway` lets no other 404 through. */
const noRows = 404
const rowsOrNone = [200, noRows]

/** Read keys: headers alone where the body may be spared, then in full what is needed. Never rejects. */
export function read(
  dataset: Dataset,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly Result[]> {
  if (reads.some(sparesBody)) return readSparing(dataset, reads, call)
  return reads.length === 1
    ? readOne(dataset, reads[0] as Read, call)
    : fetchRows(dataset, reads, false, call).then((found) => resultsOf(dataset, reads, found))
}

function readOne(dataset: Dataset, one: Read, call: CallOptions): Promise<readonly Result[]> {
  return fetchOne(dataset, one.key, false, call).then(
    (found) => [resultOf(dataset, one, found)],
    (error: StoreError) => [error],
  )
}

function resultsOf(
  dataset: Dataset,
  reads: readonly Read[],
  found: readonly (Found | StoreError)[],
): readonly Result[] {
  return reads.map((one, i) => resultOf(dataset, one, found[i] as Found | StoreError))
}

async function readSparing(
  dataset: Dataset,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly Result[]> {
  const sparing = reads.filter(sparesBody)
  const heads = new Map<Read, Result>()
  const headers = await fetchRows(dataset, sparing, true, call)
  for (const [i, one] of sparing.entries())
    heads.set(one, resultOf(dataset, one, headers[i] as Found | StoreError))
  const whole = reads.filter((one) => needsBody(one, heads.get(one)))
  const found = await fetchRows(dataset, whole, false, call)
  const bodies = new Map(whole.map((one, i) => [one, resultOf(dataset, one, found[i] as Found | StoreError)]))
  return reads.map((one) => (bodies.has(one) ? bodies.get(one) : heads.get(one)))
}

function sparesBody({ head, ifNotVersion }: Read): boolean {
  return head === true || ifNotVersion !== undefined
}

/** A header that tells of another version leads to the body. */
function needsBody(one: Read, head: Result): boolean {
  return !sparesBody(one) || (head !== undefined && isEntry(head))
}

/** The result of a read of a row. Rows that hold nothing any more are remembered, to be removed. */
export function resultOf(
  dataset: Dataset,
  { key, head, ifNotVersion }: Read,
  found: Found | StoreError,
): Result {
  if (isStoreError(found)) return found
  const { header, body } = found
  if (header.length === 0) {
    noteMet(dataset, key, found)
    return undefined
  }
  if (!isHeader(header)) return notARecord()
  const expiresAt = recordExpiresAt(header)
  if (expiresAt !== undefined && expiresAt <= dataset.clock()) {
    noteMet(dataset, key, found)
    return undefined
  }
  const version = recordVersion(header)
  if (head === true || version === ifNotVersion) return { notModified: true, version, expiresAt }
  return { value: body, version, expiresAt }
}

/** Whether a cell is the header of a record. */
export function isHeader(header: Buffer): boolean {
  return header.length === recordHeaderBytes && isRecord(header)
}

/** The rows of keys, one for one; a request that failed is the error of its keys. Never rejects. */
async function fetchRows(
  dataset: Dataset,
  reads: readonly Read[],
  headersOnly: boolean,
  call: CallOptions,
): Promise<readonly (Found | StoreError)[]> {
  const parts = cut(reads.map(({ key }) => dataset.rowOf(key)))
  const found = await inParallel(parts, dataset.width, (rows) =>
    fetchPart(dataset, rows, headersOnly, call).catch((error: StoreError) => rows.map(() => error)),
  )
  return found.flat()
}

/** The row of one key. Rejects with what went wrong. */
export function fetchOne(
  dataset: Dataset,
  key: string,
  headersOnly: boolean,
  call: CallOptions,
): Promise<Found> {
  return fetchPart(dataset, [dataset.rowOf(key)], headersOnly, call).then(([found = absent]) => found)
}

/** Rows in parts that fit into one address each. */
function cut(rows: readonly Buffer[]): readonly (readonly Buffer[])[] {
  const parts: Buffer[][] = []
  let chars = 0
  for (const row of rows) {
    const part = parts.at(-1)
    const more = Math.ceil((row.length * 4) / 3) + parameterChars
    if (part === undefined || part.length === requestKeys || chars + more > addressChars) {
      parts.push([row])
      chars = more
    } else {
      part.push(row)
      chars += more
    }
  }
  return parts
}

/** The state of some rows, one for one. */
function fetchPart(
  { gateway, columns }: Dataset,
  rows: readonly Buffer[],
  headersOnly: boolean,
  call: CallOptions,
): Promise<readonly Found[]> {
  const names = headersOnly ? columns.headerName : `${columns.headerName},${columns.bodyName}`
  const keys = rows.map((row) => `&row=${row.toString('base64url')}`).join('')
  const path = `/multiget/${names}?e=b64${keys}`
  const asked = gateway.ask(call, { method: 'GET', path, isWrite: false, expected: rowsOrNone })
  return asked.then(({ status, body }) => foundAmong(rows, status === noRows ? [] : rowsOf(body), columns))
}

/** The rows of an answer come in the order of the keys, without those that are absent. */
function foundAmong(rows: readonly Buffer[], answered: readonly Row[], columns: Columns): readonly Found[] {
  let next = 0
  const found = rows.map((row) => {
    const one = answered[next]
    if (one === undefined || one.key !== row.toString('base64')) return absent
    next++
    return foundIn(one, columns)
  })
  return next === answered.length ? found : foundByKey(rows, answered, columns)
}

/** The same, should a gateway order them otherwise. */
function foundByKey(rows: readonly Buffer[], answered: readonly Row[], columns: Columns): readonly Found[] {
  const byKey = new Map(answered.map((row) => [row.key, row]))
  const asked = new Set(rows.map((row) => row.toString('base64')))
  if (answered.some(({ key }) => !asked.has(key))) throw notHbase(false)
  return rows.map((row) => {
    const one = byKey.get(row.toString('base64'))
    return one === undefined ? absent : foundIn(one, columns)
  })
}
