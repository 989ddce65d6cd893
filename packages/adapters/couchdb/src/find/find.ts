import { type CallOptions, type Found, isEntry, type ScanEntry, type StoreQuery } from '@unikv/core'
import { matches, orderValueAt, PageOf, positionOf, TotalsOf } from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'
import type { IdRange } from '../client/couch-database.ts'
import type { CouchDocument } from '../document.ts'
import { documentId } from '../document-id.ts'
import { beyond, entriesOf } from '../scan.ts'
import { selectorOf } from './selector.ts'

/** Documents of one request. */
const pageSize = 256

/**
 * Records by the fields of their documents. CouchDB narrows; the exact conditions, the order and the totals are made here, as it has other
 * orders for texts and no sums. So all records that its selector finds are read, unless they are wanted by key.
 */
export async function find<V>(backend: Backend<V>, query: StoreQuery, call: CallOptions): Promise<Found<V>> {
  const { where, page, of } = query
  const totals = new TotalsOf()
  const records = page && new PageOf<ScanEntry<V>>(page)
  const isByKey = page?.orderBy.length === 0
  let found = 0
  for await (const documents of matching(backend, query, isByKey, call)) {
    for (const record of documents.flatMap((document) => entriesOf(backend, document, true))) {
      const { key, entry } = record
      const value = isEntry(entry) ? entry.value : undefined
      if (!matches(value, where)) continue
      found++
      if (page === undefined) totals.add(of && orderValueAt(value, of))
      else records?.add(positionOf(key, value, page.orderBy), record)
    }
    if (isByKey && found >= page.limit) break
  }
  if (records === undefined) return { entries: [], totals: totals.end() }
  const { items, last } = records.end()
  return { entries: items, last }
}

/** The documents that CouchDB finds: in one answer, for which it may use any index, or page by page in the order of keys. */
async function* matching<V>(
  { couch }: Backend<V>,
  { start, end, where, page }: StoreQuery,
  isByKey: boolean,
  call: CallOptions,
): AsyncGenerator<readonly CouchDocument[]> {
  const also = selectorOf(where)
  const whole = { $gte: documentId(start), ...(end !== undefined && { $lt: documentId(end) }) }
  const after = isByKey ? page?.after : undefined
  let ids: IdRange['ids'] | undefined =
    after === undefined ? whole : beyond(documentId(after.key), whole, false)
  if (also !== undefined && !isByKey) {
    const all = await couch.page({ ids, limit: pageSize, also }, true, call)
    if (all.length < pageSize) return yield all
  }
  while (ids !== undefined) {
    const documents = await couch.page({ ids, limit: pageSize, reverse: false, also }, true, call)
    yield documents
    const last = documents.length < pageSize ? undefined : documents.at(-1)?._id
    ids = last === undefined ? undefined : beyond(last, ids, false)
  }
}
