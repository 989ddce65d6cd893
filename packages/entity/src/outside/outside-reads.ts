import type { Bytes, GroupCall, Groups } from '@unikv/core'
import type { IndexQuery } from '../contract/index-query.ts'
import { afterEntriesOf, type Layout, outsideGroup, partsOfEntry, placeOf } from '../layout/layout.ts'
import { decodeStored } from '../layout/stored-entity.ts'
import type { Known } from '../layout/types.ts'
import { type FoundEntry, listEntries } from './outside-index.ts'

const pageSize = 500

/**
 * The entities that an index outside of groups finds. Entries and entities are read one after the other, so an entity that comes or goes
 * meanwhile may be there or not. An entry without its entity, or of one that has another key, is skipped.
 */
export async function outsideEntities(
  groups: Groups,
  known: Known,
  { index, values, limit, after }: IndexQuery,
  call: GroupCall,
): Promise<readonly unknown[]> {
  const { layout, codec } = known
  const group = outsideGroup(layout, index, values)
  const found: unknown[] = []
  let from = after === undefined ? undefined : afterEntriesOf(layout, after)
  while (found.length < limit) {
    const most = Math.min(pageSize, limit - found.length)
    const entries = await listEntries(groups, layout, group, { after: from, limit: most }, call)
    const stored = await storedOf(groups, layout, entries, call)
    const entities = await codec.decodeIndexed(stored, values)
    const live = entries.filter((_, at) => entities[at] !== undefined)
    found.push(...entities.filter((entity) => entity !== undefined))
    if (entries.length < most) break
    from = endOf(layout, entries, live)
  }
  return found
}

/** The stored entities of these entries; `undefined` for one that is not there, or has another token. */
async function storedOf(
  groups: Groups,
  layout: Layout,
  entries: readonly FoundEntry[],
  call: GroupCall,
): Promise<readonly (Bytes | undefined)[]> {
  if (entries.length === 0) return []
  const stored = await groups.read(
    entries.map(({ id }) => placeOf(layout, id)),
    call,
  )
  return stored.map((bytes, at) =>
    bytes !== undefined && decodeStored(bytes).token === entries[at]?.token ? bytes : undefined,
  )
}

/** Where the next page begins: an entity that was found is not looked for again, as it may be another of the same id by then. */
function endOf(
  layout: Layout,
  entries: readonly FoundEntry[],
  live: readonly FoundEntry[],
): string | undefined {
  const [last, found] = [entries.at(-1), live.at(-1)]
  const isFound = last !== undefined && found !== undefined && sameId(last, found)
  return isFound ? afterEntriesOf(layout, found.id) : last?.key
}

function sameId(one: FoundEntry, other: FoundEntry): boolean {
  return partsOfEntry(one.key).id === partsOfEntry(other.key).id
}
