import { isPlainObject } from '@unikv/core/platform'
import type { CouchDocument } from '../document.ts'

// The answers to its requests that the store understands. Any other comes from a proxy, or from a server that is not
// CouchDB, and must never make a miss, an empty listing or a success.

/** Whether an answer is one to the request. */
export type Understood<T> = ((said: unknown) => said is T) | ((said: unknown) => boolean)

/** One row of `_all_docs`. */
export interface Row {
  readonly id?: string
  readonly value?: { readonly rev: string; readonly deleted?: boolean }
  readonly doc?: CouchDocument | null
  readonly error?: string
}

/** The outcome of one document of `_bulk_docs`. */
export interface Outcome {
  readonly id?: string
  readonly rev?: string
  readonly error?: string
  /** Fewer copies than asked for took it: it may yet lose against another revision. */
  readonly accepted?: boolean
}

/** The answer to `GET /database`. */
export interface DatabaseInfo {
  readonly doc_count: number
  /** Copies of each document; absent on servers without clusters. */
  readonly cluster?: { readonly n: number }
  /** Bytes of its files; absent on servers that do not tell. */
  readonly sizes?: { readonly file?: unknown }
}

/** Documents of `_find`. */
interface Found {
  readonly docs: readonly CouchDocument[]
}

/** Rows of `_all_docs`. */
interface Rows {
  readonly rows: readonly Row[]
}

/** Whether this is a document. */
export function isDocument(said: unknown): said is CouchDocument {
  return isPlainObject(said) && typeof said['_id'] === 'string' && typeof said['_rev'] === 'string'
}

/** Whether these are at most so many documents. */
export function isFound(said: unknown, most: number): said is Found {
  const docs = isPlainObject(said) ? said['docs'] : undefined
  return Array.isArray(docs) && docs.length <= most && docs.every(isDocument)
}

/** Whether these are rows for these ids, in their order. */
export function areRows(said: unknown, ids: readonly string[], documents: boolean): said is Rows {
  const rows = isPlainObject(said) ? said['rows'] : undefined
  return (
    Array.isArray(rows) &&
    rows.length === ids.length &&
    rows.every((row, i) => isRow(row, ids[i] as string, documents))
  )
}

function isRow(row: unknown, id: string, documents: boolean): row is Row {
  if (!isPlainObject(row)) return false
  const { error, key, value, doc } = row
  if (error !== undefined) return error === 'not_found' && key === id
  if (row['id'] !== id || !isPlainObject(value) || typeof value['rev'] !== 'string') return false
  return !documents || value['deleted'] === true || (isDocument(doc) && doc._id === id)
}

/** Whether these are so many outcomes of writes. */
export function areOutcomes(said: unknown, count: number): said is readonly Outcome[] {
  return Array.isArray(said) && said.length === count && said.every(isOutcome)
}

function isOutcome(said: unknown): said is Outcome {
  if (!isPlainObject(said) || typeof said['id'] !== 'string') return false
  return typeof said['error'] === 'string' || typeof said['rev'] === 'string'
}

/** Whether this is what is told of a database. */
export function isInfo(said: unknown): said is DatabaseInfo {
  return isPlainObject(said) && typeof said['doc_count'] === 'number'
}

/** The answer to `GET /database/_index`. */
interface Indexes {
  readonly indexes: readonly { readonly name: string }[]
}

/** Whether these are the indexes of a database. */
export function areIndexes(said: unknown): said is Indexes {
  const indexes = isPlainObject(said) ? said['indexes'] : undefined
  return (
    Array.isArray(indexes) && indexes.every((one) => isPlainObject(one) && typeof one['name'] === 'string')
  )
}

/** Whether this says that something was made. */
export function isDone(said: unknown): said is { readonly ok: true } {
  return isPlainObject(said) && said['ok'] === true
}

/** Whether this says that there is no such document. */
export function isMissing(said: unknown): boolean {
  return isPlainObject(said) && (said['reason'] === 'missing' || said['reason'] === 'deleted')
}
