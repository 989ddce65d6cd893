import { isUtf8 } from 'node:buffer'
import {
  type Bytes,
  type CallOptions,
  isEntry,
  isStoreError,
  type Page,
  type ScanEntry,
  type ScanRange,
  StoreError,
} from '@unikv/core'
import { afterPrefix, compareKeys } from '@unikv/core/adapter'
import { foundIn, type Row, rowsOf } from './client/cells.ts'
import type { Dataset } from './dataset.ts'
import { resultOf } from './read.ts'

/** Most characters of both ends of a range in one address: the gateway takes 64 KiB of headers. */
const addressChars = 60_000

/**
 * List a range, a request a page. The gateway keeps nothing between pages: each begins behind the last row, so that
 * the position is that row, good in another process and at another gateway.
 */
export async function* scan(
  dataset: Dataset,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  const { prefix, gte = prefix, pageSize } = range
  const first = compareKeys(gte, prefix) > 0 ? gte : prefix
  for (let { resume } = range; ; ) {
    const rows = await fetchPage(dataset, range, resume === undefined ? first : `${resume}\0`, call)
    const keys = rows.map((row) => keyOf(dataset, row))
    const entries = rows.flatMap((row, i) => entryOf(dataset, range, row, keys[i]))
    resume = rows.length < pageSize ? undefined : lastOf(range, keys)
    yield { entries, resume }
    if (resume === undefined) return
  }
}

/** Rows from `from` on. They may go beyond the end of the range, where that is too long to be told. */
async function fetchPage(
  { gateway, columns, prefix }: Dataset,
  range: ScanRange,
  from: string,
  call: CallOptions,
): Promise<readonly Row[]> {
  const names = range.values ? [columns.headerName, columns.bodyName] : [columns.headerName]
  const start = `&startrow=${encodeURIComponent(prefix + from)}`
  const end = `&endrow=${encodeURIComponent(endOfRange(prefix, range))}`
  const ends = start.length + end.length > addressChars ? start : start + end
  const { body } = await gateway.ask(call, {
    method: 'GET',
    path: `/*?limit=${range.pageSize}${names.map((name) => `&column=${name}`).join('')}${ends}`,
    isWrite: false,
    expected: [200],
  })
  return rowsOf(body)
}

function endOfRange(dataset: string, { prefix, lt }: ScanRange): string {
  const after = afterPrefix(dataset + prefix) as string
  return lt !== undefined && compareKeys(dataset + lt, after) < 0 ? dataset + lt : after
}

/** The canonical key of a row; `undefined` if it is none of this dataset. */
function keyOf({ prefix }: Dataset, { key }: Row): string | undefined {
  const bytes = Buffer.from(key, 'base64')
  const text = isUtf8(bytes) ? bytes.toString() : ''
  return text.length > prefix.length && text.startsWith(prefix) ? text.slice(prefix.length) : undefined
}

/** The entry of a row, if it holds a live record of the range. */
function entryOf(
  dataset: Dataset,
  range: ScanRange,
  row: Row,
  key: string | undefined,
): readonly ScanEntry<Bytes>[] {
  if (key === undefined || isBehind(range, key)) return []
  const found = resultOf(dataset, { key, head: !range.values }, foundIn(row, dataset.columns))
  // Gone, or no record of this library.
  if (found === undefined || isStoreError(found)) return []
  return [isEntry(found) ? { key, entry: found } : { key }]
}

function isBehind({ prefix, lt }: ScanRange, key: string): boolean {
  return !key.startsWith(prefix) || (lt !== undefined && compareKeys(key, lt) >= 0)
}

/**
 * Where the next page begins, after a full one; `undefined` behind the end of the range. Rows of others whose keys are
 * no text cannot be named in an address: the next page begins before them, which leads on unless they fill a page.
 */
function lastOf(range: ScanRange, keys: readonly (string | undefined)[]): string | undefined {
  const last = keys.findLast((key) => key !== undefined)
  if (last === undefined)
    throw new StoreError(
      'CORRUPT',
      'More than a page of rows in the dataset have keys that are not UTF-8. Choose another dataset.',
    )
  return isBehind(range, last) ? undefined : last
}
