import { isStoreError } from '@unikv/core'
import { type Workload, workloadSchema } from '../../../operations/workload.ts'
import type { LengthLaw } from '../../../values/length-law.ts'
import { parseLengthLaw } from '../../../values/parse-length-law.ts'
import { type Place, wrongIn } from './place.ts'
import type { LoadPart } from './work-schema.ts'

/**
 * The workload of loading records in batches.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the place of what is wrong
 */
export function loadWorkload({ records, size = '1000', batch = 100 }: LoadPart, place: Place): Workload {
  if (records % batch !== 0)
    throw wrongIn(place, 'workload.load.records', `it must be a multiple of batch (${batch}), got ${records}`)
  return workloadSchema.parse({
    name: 'load',
    records,
    batch,
    mix: { 'batch-insert': 1 },
    keys: { kind: 'uniform' },
    values: valuesOf(size, place),
  })
}

function valuesOf(size: string, place: Place): LengthLaw {
  try {
    return parseLengthLaw(size)
  } catch (error) {
    if (isStoreError(error)) throw wrongIn(place, 'workload.load.size', error.message)
    throw error
  }
}
