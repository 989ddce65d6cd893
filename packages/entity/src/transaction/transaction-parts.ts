import type { Group } from '../definition/entity-type.ts'
import type { Types } from '../layout/types.ts'
import type { OutsideEntry } from '../outside/outside-index.ts'
import type { RunMemory } from './run-memory.ts'
import type { Workspace } from './workspace.ts'

/** An entity of any type. */
export type Entity = Readonly<Record<string, unknown>>

/** The parts of its database that a transaction needs. */
export interface TransactionParts {
  readonly types: Types
  readonly group: Group
  readonly space: Workspace
  readonly memory: RunMemory
  /** Takes a number of a counter outside of groups, in a transaction of its own. */
  readonly takeNumber: (counter: string) => Promise<number>
  /** Told of entries outside of the group that a creation needs; it may end the attempt, to be made again when they are there. */
  readonly wantEntries: (entries: readonly OutsideEntry[]) => void
}

/** Those that work inside of it needs. */
export interface OpenParts extends TransactionParts {
  /** @throws {StoreError} after the end of the transaction */
  readonly checkOpen: (operation: string) => void
}
