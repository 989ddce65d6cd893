import type { GroupCall, Groups } from '@unikv/core'
import { type Call, inParallel } from '@unikv/core/adapter'
import type { KeyPart } from '@unikv/core/keys'
import { wallClock } from '@unikv/core/platform'
import { idOf, type Layout, partsOfEntry } from '../layout/layout.ts'
import type { Transact } from '../runs/small-transactions.ts'

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

/** Groups whose entries are changed at the same time. */
const lanes = 8

/** Add entries, those of a group together. They are there before their entities are. */
export async function addEntries(
  transact: Transact,
  entries: readonly OutsideEntry[],
  call: Call,
): Promise<void> {
  const value = Buffer.alloc(6)
  value.writeUIntBE(Math.max(0, Math.floor(wallClock())), 0, 6)
  await inParallel(byGroup(entries), lanes, ([group, keys]) =>
    transact(group, call, async () => keys.map((key) => ({ key, value }))),
  )
}

/**
 * Remove entries, those of a group together. Any failure is left to the sweep, that of a `retry` of the application too: the transaction that
 * they belong to is over, and its outcome is another.
 */
export async function removeEntries(
  transact: Transact,
  entries: readonly OutsideEntry[],
  call: Call,
): Promise<void> {
  const remove = async ([group, keys]: readonly [string, readonly string[]]): Promise<void> => {
    try {
      await transact(group, call, async () => keys.map((key) => ({ key, value: undefined })))
    } catch {
      // Left to the sweep.
    }
  }
  await inParallel(byGroup(entries), lanes, remove)
}

function byGroup(entries: readonly OutsideEntry[]): readonly (readonly [string, readonly string[]])[] {
  const keys = new Map<string, string[]>()
  for (const { group, key } of entries) {
    const some = keys.get(group)
    if (some === undefined) keys.set(group, [key])
    else some.push(key)
  }
  return [...keys]
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
