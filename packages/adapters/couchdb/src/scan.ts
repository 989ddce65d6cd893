import type { CallOptions, Page, ScanEntry, ScanRange } from '@unikv/core'
import { keyBounds } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { Backend } from './backend.ts'
import type { IdBounds } from './client/couch-database.ts'
import { type CouchDocument, isLiveAt, knownOf } from './document.ts'
import { documentId, keyOfDocument } from './document-id.ts'
import { resultOf } from './read.ts'

/**
 * Pages in the order of key bytes: each request starts after the last document of the one before, so that a key which
 * lives throughout comes exactly once, for any writes meanwhile.
 */
export async function* scanPages<V>(
  backend: Backend<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  const { pageSize: limit, values, reverse = false } = range
  for (let ids: IdBounds | undefined = boundsOf(range); ids !== undefined; ) {
    const documents = await backend.couch.page({ ids, limit, reverse }, values, call)
    const last = documents.length < limit ? undefined : documents.at(-1)?._id
    ids = last === undefined ? undefined : beyond(last, ids, reverse)
    yield { entries: documents.flatMap((document) => entriesOf(backend, document, values)), resume: last }
  }
}

/** Documents that are expired, or none of ours, are not listed. */
export function entriesOf<V>(backend: Backend<V>, document: CouchDocument, values: boolean): ScanEntry<V>[] {
  const key = keyOfDocument(document._id)
  const known = knownOf(document)
  if (key === undefined || known === undefined) return []
  if (!values) {
    if (isLiveAt(known, wallClock())) return [{ key }]
    backend.expired.met(document._id, document._rev)
    return []
  }
  const result = resultOf(backend, document)
  return result === undefined || 'notModified' in result ? [] : [{ key, entry: result }]
}

function boundsOf(range: ScanRange): IdBounds {
  const { resume, reverse = false } = range
  const { start, end } = keyBounds(range)
  const $gte = documentId(start)
  const whole = end === undefined ? { $gte } : { $gte, $lt: documentId(end) }
  return resume === undefined ? whole : beyond(resume, whole, reverse)
}

/** The ids after this one in the direction of the listing. A cursor comes from outside, so the result stays within the bounds. */
export function beyond(id: string, bounds: IdBounds, reverse: boolean): IdBounds {
  const { $lt } = bounds
  if (reverse) return $lt === undefined || id < $lt ? { ...bounds, $lt: id } : bounds
  const first = '$gte' in bounds ? bounds.$gte : bounds.$gt
  if (id < first) return bounds
  return $lt === undefined ? { $gt: id } : { $gt: id, $lt }
}
