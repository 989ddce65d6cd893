import {
  type Awaitable,
  andThen,
  type Bytes,
  type CallOptions,
  isStoreError,
  type Page,
  type Pages,
  type ScanEntry,
  type Store,
  StoreError,
} from '@unikv/core'
import { isUserKey } from '@unikv/core/adapter'
import type { Vault } from '../vaults/vault.ts'
import type { Naming } from './naming.ts'

/** Enough to meet a record, few enough to be cheap where values are large. */
const pageSize = 8

/** Parts that open and name records. */
export interface ProbeParts {
  readonly naming: Naming
  readonly vault: Vault
}

/**
 * Look at one record of a dataset that has no marker: a dataset that others wrote cannot take hashed names.
 *
 * @throws {StoreError} `INVALID_CONFIG`, or why that record does not open
 */
export function probe(store: Store<Bytes>, parts: ProbeParts, call: CallOptions): Awaitable<void> {
  const pages = store.scan({ prefix: '', pageSize, values: true }, call)
  const isLate = store.capabilities.sync === 'none' || !(Symbol.iterator in pages)
  return andThen(isLate ? firstLater(pages) : firstNow(pages), (found) => judge(found, parts, call))
}

function firstNow(pages: Iterable<Page<Bytes>>): ScanEntry<Bytes> | undefined {
  for (const page of pages) {
    const found = firstIn(page)
    if (found !== undefined) return found
  }
  return undefined
}

async function firstLater(pages: Pages<Bytes>): Promise<ScanEntry<Bytes> | undefined> {
  for await (const page of pages) {
    const found = firstIn(page)
    if (found !== undefined) return found
  }
  return undefined
}

/** The first record of users; those of layers below do not count. */
function firstIn({ entries }: Page<Bytes>): ScanEntry<Bytes> | undefined {
  return entries.find(({ key, entry }) => isUserKey(key) && entry !== undefined)
}

function judge(found: ScanEntry<Bytes> | undefined, parts: ProbeParts, call: CallOptions): Awaitable<void> {
  if (found === undefined) return
  return andThen(trueKeyOf(found, parts, call), (trueKey) => {
    if (trueKey === undefined || parts.naming.stored(trueKey) !== found.key) throw otherRecords()
  })
}

function trueKeyOf(
  { key: stored, entry }: ScanEntry<Bytes>,
  { vault }: ProbeParts,
  call: CallOptions,
): Awaitable<string | undefined> {
  if (isStoreError(entry)) throw entry
  if (entry === undefined) return undefined
  return vault.openedNamed(
    () => [entry.value],
    call,
    (open) => {
      try {
        return open(stored, entry.value).key
      } catch (error) {
        if (isStoreError(error) && error.code === 'CORRUPT') return undefined
        throw error
      }
    },
  )
}

function otherRecords(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'This dataset holds records that were written without hashed key names, or under another name key. Copy them into a fresh dataset.',
  )
}
