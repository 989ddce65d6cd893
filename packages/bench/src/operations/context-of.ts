import type { Bytes, KeyValue } from '@unikv/core'
import { keyChooser } from '../keys/key-chooser.ts'
import { keyNames } from '../keys/key-names.ts'
import type { KeySpace } from '../keys/key-space.ts'
import { fastRandom, subSeed } from '../random/random.ts'
import { lengths } from '../values/lengths.ts'
import type { OperationContext } from './context.ts'
import type { Workload } from './workload.ts'

/** Where operations work, and with what seed. */
export interface ContextRequest {
  readonly workload: Workload
  /** An empty namespace, or one that was loaded by the same workload. */
  readonly keys: KeyValue<string, Bytes>
  readonly space: KeySpace
  readonly seed: number
  /** Inserts that the run may make. */
  readonly expectedInserts: number
  /** The next value of a record. */
  readonly valueOf: (number: number) => Bytes
}

/** The surroundings of a workload: the same seed draws the same keys, lengths and values. */
export function contextOf(request: ContextRequest): OperationContext {
  const { workload, keys, space, seed, expectedInserts, valueOf } = request
  const random = fastRandom(subSeed(seed, 'keys'))
  const scans = lengths(workload.scan, fastRandom(subSeed(seed, 'scans')))
  return {
    ...ofKeys(keys),
    space,
    chooser: keyChooser(workload.keys, { space, random, expectedInserts }),
    keyOf: keyNames(workload.keyNames),
    valueOf,
    scanLength: () => scans.next(),
    batch: workload.batch,
  }
}

/** Records and counters of a namespace. */
export function ofKeys(keys: KeyValue<string, Bytes>): Pick<OperationContext, 'kv' | 'counters'> {
  return { kv: recordsOf(keys), counters: keys.namespace('counters') }
}

/** The records of a namespace, apart from its counters. */
export function recordsOf(keys: KeyValue<string, Bytes>): KeyValue<string, Bytes> {
  return keys.namespace('records')
}
