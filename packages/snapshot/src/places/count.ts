import type { Ways } from '../transfer/ways.ts'
import { keyPages } from './pages.ts'
import type { Place } from './place.ts'

/** How many records a place has. */
export async function countOf(place: Place, ways: Ways): Promise<number> {
  let records = 0
  for await (const keys of keyPages(place, ways)) {
    records += keys.length
    ways.told({ phase: 'count', records, bytes: 0, total: undefined })
  }
  return records
}
