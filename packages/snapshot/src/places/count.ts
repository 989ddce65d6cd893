import { StoreError } from '@unikv/core/adapter'
import type { SourceOptions } from '../options.ts'
import type { Ways } from '../ways.ts'
import { keyPages } from './pages.ts'
import type { Place } from './place.ts'

/** How many records a place has. */
async function countOf(place: Place, ways: Ways): Promise<number> {
  let records = 0
  for await (const keys of keyPages(place, ways)) {
    records += keys.length
    ways.told({ phase: 'count', records, bytes: 0, total: undefined })
  }
  return records
}

/**
 * How many records a source has, if that is wanted. A source without any is refused: it may be the wrong one.
 *
 * @throws {StoreError} `NOT_PREPARED`
 */
export async function checkedTotal(
  place: Place,
  ways: Ways,
  { count = false, allowEmpty = false }: { readonly count?: boolean | undefined } & SourceOptions,
): Promise<number | undefined> {
  const total = count ? await countOf(place, ways) : undefined
  if (!allowEmpty && !(await hasRecords(place, ways, total))) throw empty(place)
  return total
}

async function hasRecords(place: Place, ways: Ways, total: number | undefined): Promise<boolean> {
  if (total !== undefined) return total > 0
  for await (const keys of keyPages(place, ways)) if (keys.length > 0) return true
  return false
}

/** The error for a source without records. */
function empty({ store, namespace }: Place): StoreError {
  const where =
    namespace.length === 0 ? store.name : `the namespace ${namespace.join(' / ')} of ${store.name}`
  return new StoreError(
    'NOT_PREPARED',
    `There are no records in ${where}. Allow that, or choose another source.`,
    {
      store: store.name,
    },
  )
}
