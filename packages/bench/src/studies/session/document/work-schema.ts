import { must } from '@unikv/stores/documents'
import { z } from 'zod'
import type { Plain } from '../../../options/option.ts'
import { ycsbPresetNames } from '../../../ycsb/properties.ts'
import { fields, oneOf, optional } from './fields.ts'
import { numberOf, whole } from './values.ts'

const lowered = (given: unknown): unknown => (typeof given === 'string' ? given.toLowerCase() : given)
const mostRecords = 1e9
const recordCount = must(`a whole number from 1 to ${mostRecords}`)
const records = z.preprocess(numberOf, z.int(recordCount).min(1, recordCount).max(mostRecords, recordCount))

/** The schema of `workload/ycsb`. */
export const ycsbSchema = fields({
  workload: z.preprocess(lowered, oneOf(ycsbPresetNames)),
  records: optional(records),
  /** Properties of YCSB, over those of the workload. */
  properties: optional(z.record(z.string(), z.union([z.string(), z.number()], must('a single value')))),
  numOfThreads: optional(whole),
})

/** The part `workload/ycsb` of a job. */
export type YcsbPart = Plain<typeof ycsbSchema>

/** The schema of `workload/load`. */
export const loadSchema = fields({
  records,
  /** Bytes of values, in the words of `bench run --value-size`. */
  size: optional(
    z.union([z.string(), z.number().transform(String)], must('bytes such as 1000, 16K or 100..1K')),
  ),
  /** Records of one call. */
  batch: optional(whole),
  numOfThreads: optional(whole),
})

/** The part `workload/load` of a job. */
export type LoadPart = Plain<typeof loadSchema>
