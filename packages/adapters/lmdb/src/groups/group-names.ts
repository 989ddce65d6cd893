import { groupOf } from './group-keys.ts'
import type { OpenGroups } from './open-groups.ts'

/** Names of a page. */
const namesPerPage = 1_000

/** A page of names. */
export interface NamesPage {
  readonly names: readonly string[]
  /** Where the next one begins; `undefined`: this is the last one. */
  readonly next: Buffer | undefined
}

/** A page of names, and where the next one begins. Each name costs one look, however many records the group has. */
export function namesFrom({ database, environment }: OpenGroups, from: Buffer, prefix: string): NamesPage {
  const names: string[] = []
  let start = from
  while (names.length < namesPerPage) {
    const [row] = database.getRange({ start, limit: 1, ...environment.snapshot })
    if (row === undefined) return { names, next: undefined }
    const { name, startBytes } = groupOf(row.key)
    if (!name.startsWith(prefix)) return { names, next: undefined }
    names.push(name)
    start = Buffer.from(row.key.subarray(0, startBytes))
    start[start.length - 1] = 2
  }
  return { names, next: start }
}
