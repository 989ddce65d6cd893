import { type Bytes, isStoreError } from '@unikv/core'
import { type DiffOptions, diff, type PatchOptions, patch } from '../src/index.ts'

/** What the judges judge: the real functions, or ones with a planted bug. */
export interface Subject {
  readonly diff: (base: Bytes, target: Bytes, options?: DiffOptions) => Bytes
  readonly patch: (base: Bytes, delta: Bytes, options?: PatchOptions) => Bytes
}

export const real: Subject = { diff, patch }

export const equal = (a: Bytes, b: Bytes): boolean => Buffer.compare(a, b) === 0

/** The bytes that `work` answers, or the code of its StoreError, or whatever else it threw. */
export function outcomeOf(work: () => Bytes): Bytes | string {
  try {
    return work()
  } catch (error) {
    return isStoreError(error) ? error.code : `threw ${String(error)}`
  }
}
