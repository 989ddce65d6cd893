import { must } from '@unikv/stores/documents'
import { z } from 'zod'
import { ycsbFields } from '../../../driven/given/ycsb-base.ts'
import { type Workload, workloadSchema } from '../../../operations/workload.ts'
import type { Plain } from '../../../options/option.ts'
import { parseLengthLaw } from '../../../values/parse-length-law.ts'
import { type Properties, ycsbPreset, ycsbPresetNames } from '../../../ycsb/properties.ts'
import { workloadOfProperties } from '../../../ycsb/ycsb-workload.ts'
import { type Place, within, wrongIn } from './shaped.ts'
import { fields, numberOf, oneOf, optional, whole } from './values.ts'

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
type YcsbPart = Plain<typeof ycsbSchema>

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
type LoadPart = Plain<typeof loadSchema>

/** Properties that other elements say. */
const elsewhere: Readonly<Record<string, string>> = {
  recordcount: 'records',
  threadcount: 'numOfThreads',
  operationcount: 'workload.measure',
  maxexecutiontime: 'workload.measure',
  target: 'unikv bench run --rate',
}

/**
 * The workload of a core workload of YCSB, with a number of records and properties.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the place of a property that is wrong or would change nothing
 */
export function ycsbWorkload(part: YcsbPart, place: Place): Workload {
  const { workload: name, records = 10_000, properties = {} } = part
  const other = Object.keys(properties).find((property) => Object.hasOwn(elsewhere, property))
  if (other !== undefined)
    throw wrongIn(place, `workload.ycsb.properties.${other}`, `use ${elsewhere[other]} in its place`)
  const all = new Map([...ycsbPreset(name), ...own({ recordcount: records, ...properties })])
  const path = 'workload.ycsb.properties'
  const { workload, warnings } = within(place, path, () => workloadOfProperties(all))
  if (warnings.length > 0) throw wrongIn(place, path, warnings.join(' '))
  return workloadSchema.parse({ name: `ycsb-${name}`, ...within(place, path, () => ycsbFields(workload)) })
}

function own(properties: Readonly<Record<string, string | number>>): Properties {
  const entries = Object.entries(properties)
  return new Map(entries.map(([name, value]) => [name, { value: String(value), source: 'the document' }]))
}

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
    values: within(place, 'workload.load.size', () => parseLengthLaw(size)),
  })
}
