import { keyChooser } from '../keys/key-chooser.ts'
import { KeySpace } from '../keys/key-space.ts'
import type { Workload } from '../operations/workload.ts'
import { fastRandom } from '../random/random.ts'
import { lengths } from '../values/lengths.ts'

/** The laws of a workload in words, for its result. */
export interface WorkloadLaws {
  /** How keys are chosen. */
  readonly keyLaw: string
  /** The lengths of values. */
  readonly lengthLaw: string
}

/** The laws of a workload over its loaded records. */
export function workloadLaws(workload: Workload, expectedInserts: number): WorkloadLaws {
  const space = new KeySpace({ first: workload.firstRecord, count: workload.records })
  const random = fastRandom(0)
  return {
    keyLaw: keyChooser(workload.keys, { space, random, expectedInserts }).law,
    lengthLaw: lengths(workload.values, random).law,
  }
}
