import type { Bytes, GroupEntry, GroupKey } from '@unikv/core'

/** A row of the table of groups; some statements answer parts of it. */
export interface FoundRow {
  readonly grp: Buffer
  readonly k: Buffer
  readonly value: Buffer
}

/** Values in the order of the keys that were asked for. */
export function inOrder(
  keys: readonly GroupKey[],
  rows: readonly FoundRow[],
): readonly (Bytes | undefined)[] {
  const byName = new Map(rows.map(({ grp, k, value }) => [nameOf(grp, k), value]))
  return keys.map(({ group, key }) => byName.get(nameOf(Buffer.from(group), Buffer.from(key))))
}

/** The records of a list. */
export function entriesOf(rows: readonly FoundRow[]): readonly GroupEntry[] {
  return rows.map(({ k, value }) => ({ key: k.toString(), value }))
}

function nameOf(group: Buffer, key: Buffer): string {
  return `${group.toString('latin1')}\n${group.length}\n${key.toString('latin1')}`
}
