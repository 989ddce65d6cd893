import { cannotList, type Position, recordPages } from '../places/pages.ts'
import type { Place } from '../places/place.ts'
import type { Ways } from '../ways.ts'
import { identityOf } from './mark.ts'
import type { Source } from './source.ts'

/**
 * The records of a store as a source.
 *
 * @throws {StoreError} `UNSUPPORTED` for one that cannot list them
 */
export function storeSource(place: Place, ways: Ways): Source {
  const { store, namespace } = place
  const { scan, ttl, documents } = store.capabilities
  if (scan === false) throw cannotList(store)
  return {
    name: store.name,
    identity: identityOf(['store', store.dataset ?? store.name, ...namespace]),
    documents,
    expires: ttl !== false,
    precisionMs: ttl === false ? 1 : ttl.precisionMs,
    pages: (after) => recordPages(place, after as Position | undefined, ways),
    store,
    records: undefined,
    repeats: false,
  }
}
