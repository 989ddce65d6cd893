import type { GroupCall, Groups } from '@unikv/core'
import type { Call } from '@unikv/core/adapter'
import type { KeyPart } from '@unikv/core/keys'
import { wallClock } from '@unikv/core/platform'
import { idOf, type Layout, partsOfEntry } from '../layout/layout.ts'
import type { Transact } from '../transaction/small-transactions.ts'

/** An entry of an index outside of groups. */
export interface OutsideEntry {
  /** The group that holds the entries of one key of the index. */
  readonly group: string
  /** The id of the entity, and its token. */
  readonly key: string
}

/** An entry that was read. */
export interface FoundEntry {
  readonly key: string
  readonly id: Readonly<Record<string, KeyPart>>
  readonly token: string
  /** Wall-clock time of its making in milliseconds. */
  readonly madeAt: number
}

/** Add an entry. It is there before the entity is. */
export function addEntry(transact: Transact, { group, key }: OutsideEntry, call: Call): Promise<void> {
  const value = Buffer.alloc(6)
  value.writeUIntBE(Math.max(0, Math.floor(wallClock())), 0, 6)
  return transact(group, call, async () => [{ key, value }])
}

/**
 * Remove an entry. Any failure is left to the sweep, that of a `retry` of the application too: the transaction that it belongs to is over,
 * and its outcome is another.
 */
export async function removeEntry(
  transact: Transact,
  { group, key }: OutsideEntry,
  call: Call,
): Promise<void> {
  try {
    await transact(group, call, async () => [{ key, value: undefined }])
  } catch {
    // Left to the sweep.
  }
}

/** Entries of one key of an index after this one, in the order of ids. */
export async function listEntries(
  groups: Groups,
  layout: Layout,
  group: string,
  page: { readonly after: string | undefined; readonly limit: number },
  call: GroupCall,
): Promise<readonly FoundEntry[]> {
  const found = await groups.list(group, { prefix: '', ...page }, call)
  return found.map(({ key, value }) => {
    const { id, token } = partsOfEntry(key)
    const madeAt = Buffer.from(value.buffer, value.byteOffset, value.length).readUIntBE(0, 6)
    return { key, id: idOf(layout, id), token, madeAt }
  })
}
