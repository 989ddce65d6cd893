import {
  type Bytes,
  type CallOptions,
  isEntry,
  type Page,
  type Pages,
  type ReadMeta,
  type ScanRange,
  type Store,
  StoreError,
} from '@unikv/core'
import { clearedPrefixes, derive } from '@unikv/core/adapter'
import { understood } from '../understood.ts'
import { type FallbackReads, isTransient } from './fallback-reads.ts'

/** Positions of both stores look alike: the first character tells whose it is. */
const ofPrimary = 'p'
const ofSecondary = 's'

/**
 * A listing from the primary, or from the secondary if the primary fails before its first page. One that goes on from an
 * earlier position stays with the store that gave it.
 */
export async function* fallbackScan(
  reads: FallbackReads,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  const { primary } = reads
  const owner = range.resume?.[0]
  // A delete applies to the keys of the primary.
  const isForPrimary = call.consistency !== undefined || clearedPrefixes.of(range.facts) !== undefined
  if (owner === ofSecondary && !isForPrimary) return yield* fromSecondary(reads, range, call)
  if (owner !== undefined && owner !== ofPrimary) throw foreign(owner, primary.name)
  let begun = owner !== undefined || isForPrimary
  try {
    for await (const page of listed(primary, range, understood(call, primary.capabilities))) {
      begun = true
      yield positioned(page, ofPrimary)
    }
  } catch (error) {
    if (begun || !isTransient(error)) throw error
    yield* fromSecondary(reads, range, call)
  }
}

async function* fromSecondary(
  { secondary, counters, meta }: FallbackReads,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  counters.staleScans++
  for await (const page of listed(secondary, range, derive(call, { consistency: null })))
    yield positioned(marked(page, meta), ofSecondary)
}

/** A position that only the other store understands. */
function foreign(owner: string, primary: string): StoreError {
  const message =
    owner === ofSecondary
      ? `The cursor belongs to the secondary, and this scan reads ${primary}. Start the scan without it.`
      : 'The cursor is not of a fallback. Start the scan without it.'
  return new StoreError('INVALID_ARGUMENT', message)
}

function listed(store: Store<Bytes>, range: ScanRange, call: CallOptions): Pages<Bytes> {
  return store.scan(range.resume === undefined ? range : { ...range, resume: range.resume.slice(1) }, call)
}

function positioned(page: Page<Bytes>, owner: string): Page<Bytes> {
  return page.resume === undefined ? page : { ...page, resume: owner + page.resume }
}

function marked(page: Page<Bytes>, meta: ReadMeta): Page<Bytes> {
  const entries = page.entries.map(({ key, entry }) => ({
    key,
    entry: isEntry(entry) ? { ...entry, meta } : entry,
  }))
  return { ...page, entries }
}
