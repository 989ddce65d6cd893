import { isStoreError } from '@unikv/core'
import { ycsbFields } from '../../../driven/given/ycsb-base.ts'
import { type Workload, workloadSchema } from '../../../operations/workload.ts'
import { type Properties, ycsbPreset } from '../../../ycsb/properties.ts'
import { workloadOfProperties } from '../../../ycsb/ycsb-workload.ts'
import { type Place, wrongIn } from './place.ts'
import type { YcsbPart } from './work-schema.ts'

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
  const fields = fieldsOf(
    new Map([...ycsbPreset(name), ...own({ recordcount: records, ...properties })]),
    place,
  )
  return workloadSchema.parse({ name: `ycsb-${name}`, ...fields })
}

function fieldsOf(properties: Properties, place: Place): object {
  try {
    const { workload, warnings } = workloadOfProperties(properties)
    if (warnings.length === 0) return ycsbFields(workload)
    throw wrongIn(place, 'workload.ycsb.properties', warnings.join(' '))
  } catch (error) {
    if (!isStoreError(error) || error.code === 'INVALID_CONFIG') throw error
    throw wrongIn(place, 'workload.ycsb.properties', error.message)
  }
}

function own(properties: Readonly<Record<string, string | number>>): Properties {
  const entries = Object.entries(properties)
  return new Map(entries.map(([name, value]) => [name, { value: String(value), source: 'the document' }]))
}
