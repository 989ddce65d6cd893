import type { AnyEntityType } from '../definition/entity-type.ts'
import type { Types } from '../layout/types.ts'
import type { OutsideEntry } from '../outside/outside-index.ts'
import type { Spaces } from '../runs/spaces.ts'
import type { RunMemory } from './run-memory.ts'

/** An entity of any type. */
export type Entity = Readonly<Record<string, unknown>>

/** The parts of its database that a transaction needs. */
export interface TransactionParts {
  readonly types: Types
  readonly spaces: Spaces
  readonly memory: RunMemory
  /** Has a number of a counter outside of groups taken and kept. It may find then that this transaction has lost a conflict. */
  readonly takeNumber: (type: AnyEntityType, counter: string, keep: (number: number) => void) => Promise<void>
  /** Told of entries outside of the group that a creation needs, before it reads: it may add them at once. */
  readonly wantEntries: (entries: readonly OutsideEntry[]) => Promise<void>
}

/** Those that work inside of it needs. */
export interface OpenParts extends TransactionParts {
  /** @throws {StoreError} after the end of the transaction */
  readonly checkOpen: (operation: string) => void
}
