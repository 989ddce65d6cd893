import type { Bytes, GroupCall, Groups } from '@unikv/core'
import type { IndexQuery } from '../contract/arguments.ts'
import { afterEntriesOf, type Layout, outsideGroup, partsOfEntry, placeOf } from '../layout/layout.ts'
import { decodeStored } from '../layout/stored-entity.ts'
import type { Known } from '../layout/types.ts'
import { type FoundEntry, listEntries } from './outside-index.ts'

const pageSize = 500

/**
 * The entities that an index outside of groups finds. Entries and entities are read one after the other, so an entity that comes or goes
 * meanwhile may be there or not. An entry without its entity is skipped.
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
    const live = await liveOf(groups, layout, entries, call)
    found.push(...(await codec.decodeAll(live.map(({ bytes }) => bytes))))
    if (entries.length < most) break
    from = endOf(layout, entries, live)
  }
  return found
}

/** An entry whose entity is there and has its token. */
interface LiveEntry {
  readonly entry: FoundEntry
  readonly bytes: Bytes
}

async function liveOf(
  groups: Groups,
  layout: Layout,
  entries: readonly FoundEntry[],
  call: GroupCall,
): Promise<readonly LiveEntry[]> {
  if (entries.length === 0) return []
  const places = entries.map(({ id }) => placeOf(layout, id))
  const stored = await groups.read(places, call)
  return entries.flatMap((entry, at) => {
    const bytes = stored[at]
    return bytes !== undefined && decodeStored(bytes).token === entry.token ? [{ entry, bytes }] : []
  })
}

/** Where the next page begins: an entity that was found is not looked for again, as it may be another of the same id by then. */
function endOf(
  layout: Layout,
  entries: readonly FoundEntry[],
  live: readonly LiveEntry[],
): string | undefined {
  const [last, found] = [entries.at(-1), live.at(-1)?.entry]
  const isFound = last !== undefined && found !== undefined && sameId(last, found)
  return isFound ? afterEntriesOf(layout, found.id) : last?.key
}

function sameId(one: FoundEntry, other: FoundEntry): boolean {
  return partsOfEntry(one.key).id === partsOfEntry(other.key).id
}
