import type { Bytes, KeyValue } from '@unikv/core'
import type { StoreTarget } from '../../../run/target.ts'

/** Keeps the records of one store as they were loaded, and brings them back. */
export interface Reset {
  save(): Promise<void>
  restore(): Promise<void>
  /** Remove what was kept. */
  close(): Promise<void>
}

/** The records of a store. */
export interface ResetPlace {
  readonly target: StoreTarget
  readonly keys: KeyValue<string, Bytes>
  readonly path: readonly string[]
  readonly records: number
  readonly signal: AbortSignal
}
