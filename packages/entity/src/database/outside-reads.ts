import type { GroupCall, Groups } from '@unikv/core'
import type { IndexQuery } from './arguments.ts'
import { afterEntriesOf, outsideGroup, placeOf } from './layout.ts'
import { type FoundEntry, listEntries } from './outside-index.ts'
import { decodeStored } from './stored-entity.ts'
import type { Known } from './types.ts'

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
  const { layout } = known
  const group = outsideGroup(layout, index, values)
  const found: unknown[] = []
  let from = after === undefined ? undefined : afterEntriesOf(layout, after)
  while (found.length < limit) {
    const most = Math.min(pageSize, limit - found.length)
    const entries = await listEntries(groups, layout, group, { after: from, limit: most }, call)
    found.push(...(await entitiesOf(groups, known, entries, call)))
    if (entries.length < most) break
    from = entries.at(-1)?.key
  }
  return found
}

/** The entities of these entries that are there and have their tokens. */
async function entitiesOf(
  groups: Groups,
  { layout, codec }: Known,
  entries: readonly FoundEntry[],
  call: GroupCall,
): Promise<readonly unknown[]> {
  if (entries.length === 0) return []
  const stored = await groups.read(
    entries.map(({ id }) => placeOf(layout, id)),
    call,
  )
  const live = stored.filter(
    (bytes, at) => bytes !== undefined && decodeStored(bytes).token === entries[at]?.token,
  )
  return codec.decodeAll(live)
}
