import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  isEntry,
  isStoreError,
  type Page,
  type Store,
  StoreError,
} from '@unikv/core'
import { isUserKey } from '@unikv/core/adapter'
import type { Opener } from '../opener.ts'
import type { Naming } from './naming.ts'

/** Enough to meet a record, few enough to be cheap where values are large. */
const pageSize = 8

/** What records are opened and named with. */
export interface ProbeParts {
  readonly naming: Naming
  readonly opener: Opener
}

/**
 * Look at one record of a dataset that has no marker: with records that others wrote, it is no place for hashed names.
 *
 * @throws {StoreError} `INVALID_CONFIG`, or why that record does not open
 */
export function probe(store: Store<Bytes>, parts: ProbeParts, call: CallOptions): Awaitable<void> {
  const pages = store.scan({ prefix: '', pageSize, values: true }, call)
  if (!(Symbol.iterator in pages)) return probeAll(pages, parts)
  for (const page of pages) if (hasOwn(page, parts)) return
}

async function probeAll(pages: AsyncIterable<Page<Bytes>>, parts: ProbeParts): Promise<void> {
  for await (const page of pages) if (hasOwn(page, parts)) return
}

/** Whether one of our own was met; the records of layers below are nobody's. */
function hasOwn(page: Page<Bytes>, { naming, opener }: ProbeParts): boolean {
  for (const { key, entry } of page.entries) {
    if (!isUserKey(key) || entry === undefined) continue
    if (!isEntry(entry)) throw entry
    const trueKey = trueKeyOf(opener, key, entry.value)
    if (trueKey === undefined || naming.stored(trueKey) !== key) throw otherRecords()
    return true
  }
  return false
}

function trueKeyOf(opener: Opener, stored: string, envelope: Bytes): string | undefined {
  try {
    return opener.namedBatch()(stored, envelope).key
  } catch (error) {
    if (isStoreError(error) && error.code === 'CORRUPT') return undefined
    throw error
  }
}

function otherRecords(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'This dataset holds records that were written without hashed key names, or under another name key. Copy them into a fresh dataset.',
  )
}
