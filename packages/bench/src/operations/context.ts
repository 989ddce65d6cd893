import type { Bytes, KeyValue } from '@unikv/core'
import type { KeyChooser } from '../keys/key-chooser.ts'
import type { KeySpace } from '../keys/key-space.ts'
import type { ReadChecks } from './read-checks.ts'

/** The surroundings of operations: one for each store and run. */
export interface OperationContext {
  readonly kv: KeyValue<string, Bytes>
  /** Where counters are, apart from the records. */
  readonly counters: KeyValue<string, Bytes>
  /** The records that exist. */
  readonly space: KeySpace
  /** Chooses among them. */
  readonly chooser: KeyChooser
  /** The name of a key by its number. */
  readonly keyOf: (number: number) => string
  /** The next value of a record. */
  readonly valueOf: (number: number) => Bytes
  /** Records of the next scan. */
  readonly scanLength: () => number
  /** Records of a batch. */
  readonly batch: number
  /** `undefined`: what reads return is not checked. */
  readonly checks?: ReadChecks | undefined
}
