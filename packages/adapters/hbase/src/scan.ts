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
import { compareKeys } from '@unikv/core/adapter'
import { foundIn, type Row, rowsOf } from './client/cells.ts'
import type { Dataset } from './dataset.ts'
import { resultOf } from './read.ts'
import { beyond, endsOf, isWithin, type RowBounds, rowBounds } from './row-bounds.ts'

/**
 * List a range, a request a page. The gateway keeps nothing between pages: each begins behind the last row, so that
 * the position is that row, good in another process and at another gateway.
 */
export async function* scan(
  dataset: Dataset,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  const { pageSize, reverse = false } = range
  const whole = rowBounds(dataset, range)
  let { resume } = range
  do {
    const bounds = resume === undefined ? whole : beyond(dataset.prefix + resume, whole, reverse)
    const rows = await fetchPage(dataset, range, bounds, call)
    const entries = rows.flatMap((row) => entryOf(dataset, range, row, whole))
    resume = rows.length < pageSize ? undefined : lastOf(dataset, rows, whole)
    yield { entries, resume }
  } while (resume !== undefined)
}

/** Rows within bounds. They may go beyond the far one, where that is too long to be told. */
async function fetchPage(
  { gateway, columns }: Dataset,
  { pageSize, values, reverse = false }: ScanRange,
  bounds: RowBounds,
  call: CallOptions,
): Promise<readonly Row[]> {
  const names = values ? [columns.headerName, columns.bodyName] : [columns.headerName]
  // The gateway starts with the very row that is named, which in reverse is the one behind the range.
  const limit = reverse ? pageSize + 1 : pageSize
  const { body } = await gateway.ask(call, {
    method: 'GET',
    path: `/*?limit=${limit}${names.map((name) => `&column=${name}`).join('')}${endsOf(bounds, reverse)}`,
    isWrite: false,
    expected: [200],
  })
  const rows = rowsOf(body)
  const [first] = rows
  const isBehind = reverse && first !== undefined && compareKeys(textOf(first) ?? '', bounds.end) >= 0
  const skipped = isBehind ? 1 : 0
  return rows.slice(skipped, skipped + pageSize)
}

function textOf({ key }: Row): string | undefined {
  const bytes = Buffer.from(key, 'base64')
  return isUtf8(bytes) ? bytes.toString() : undefined
}

/** The canonical key of a row; `undefined` if it is none of this dataset. */
function keyOf({ prefix }: Dataset, row: Row): string | undefined {
  const text = textOf(row) ?? ''
  return text.length > prefix.length && text.startsWith(prefix) ? text.slice(prefix.length) : undefined
}

/** The entry of a row, if it holds a live record of the range. */
function entryOf(
  dataset: Dataset,
  range: ScanRange,
  row: Row,
  whole: RowBounds,
): readonly ScanEntry<Bytes>[] {
  const key = keyOf(dataset, row)
  if (key === undefined || !isWithin(dataset.prefix + key, whole)) return []
  const found = resultOf(dataset, { key, head: !range.values }, foundIn(row, dataset.columns))
  // Gone, or no record of this library.
  if (found === undefined || isStoreError(found)) return []
  return [isEntry(found) ? { key, entry: found } : { key }]
}

/**
 * Where the next page begins, after a full one; `undefined` outside the range. Rows of others whose keys are not text
 * cannot be named in an address: the next page begins before them, which leads on unless they fill a page.
 */
function lastOf({ prefix }: Dataset, rows: readonly Row[], whole: RowBounds): string | undefined {
  const last = rows.map(textOf).findLast((text) => text !== undefined)
  if (last === undefined)
    throw new StoreError(
      'CORRUPT',
      'More than a page of rows in the dataset have keys that are not UTF-8. Choose another dataset.',
    )
  return isWithin(last, whole) ? last.slice(prefix.length) : undefined
}
