import type { CallOptions, Page, ScanEntry, ScanRange } from '@unikv/core'
import { keyBounds } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { Backend } from './backend.ts'
import { type CouchDocument, isLiveAt, knownOf } from './document.ts'
import { documentId, keyOfDocument } from './document-id.ts'
import { resultOf } from './read.ts'

/**
 * Pages in the order of key bytes: each request starts after the last document of the one before, so that a key which
 * lives throughout comes exactly once, whatever is written meanwhile.
 */
export async function* scanPages<V>(
  backend: Backend<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  const { pageSize: limit, values } = range
  const [from, before] = boundsOf(range)
  let after = range.resume
  do {
    const documents = await backend.couch.page({ after, from, before, limit }, values, call)
    after = documents.length < limit ? undefined : documents.at(-1)?._id
    yield { entries: documents.flatMap((document) => entriesOf(backend, document, values)), resume: after }
  } while (after !== undefined)
}

/** What is expired, or none of ours, is not listed. */
function entriesOf<V>(backend: Backend<V>, document: CouchDocument, values: boolean): ScanEntry<V>[] {
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

function boundsOf(range: ScanRange): readonly [string, string | undefined] {
  const { start, end } = keyBounds(range)
  return [documentId(start), end === undefined ? undefined : documentId(end)]
}
