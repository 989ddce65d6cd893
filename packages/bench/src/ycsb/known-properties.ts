import { nearest } from '@unikv/core/adapter'
import type { Properties } from './properties.ts'

/** Properties that a workload is made of. */
const meant = `
  workload recordcount operationcount insertstart insertcount threadcount target maxexecutiontime
  fieldcount fieldlength minfieldlength fieldlengthdistribution fieldlengthhistogram readallfields
  writeallfields dataintegrity readproportion updateproportion insertproportion scanproportion
  readmodifywriteproportion requestdistribution zeropadding insertorder minscanlength maxscanlength
  scanlengthdistribution hotspotdatafraction hotspotopnfraction exponential.percentile exponential.frac`
  .trim()
  .split(/\s+/)

/** Properties of YCSB that a store of whole values, or a result that always has everything, has no use for. */
const meaningless = `
  table columnfamily fieldnameprefix readallfieldsbyname core_workload_insertion_retry_limit
  core_workload_insertion_retry_interval core_workload_insertion_retry_keep_going_on_error measurementtype
  measurement.interval measurement.histogram.verbose measurement.raw.output_file measurement.trackjvm
  hdrhistogram.percentiles hdrhistogram.fileoutput hdrhistogram.output.path histogram.buckets
  timeseries.granularity status.interval reportlatencyforeacherror latencytrackederrors exporter
  exportfile spin.sleep label db dotransactions`
  .trim()
  .split(/\s+/)

/** One sentence about all properties that change nothing; `undefined` if there are none. */
export function ignoredProperties(properties: Properties): string | undefined {
  const unknown = [...properties.keys()].filter(
    (name) => !meant.includes(name) && !meaningless.includes(name),
  )
  const useless = [...properties].filter(([name, { value }]) => isUseless(name, value)).map(([name]) => name)
  if (unknown.length + useless.length === 0) return undefined
  const parts = [
    ...(useless.length > 0 ? [`${useless.join(', ')} (without meaning for unikv)`] : []),
    ...unknown.map((name) => {
      const right = nearest(name, meant)
      return `${name} (unknown${right === undefined ? '' : `: did you mean ${right}?`})`
    }),
  ]
  return `Properties that change nothing here: ${parts.join(', ')}.`
}

/** The name of an unknown property that was probably meant to be this one. */
export function misspelled(properties: Properties, name: string): string | undefined {
  return [...properties.keys()].find((one) => !meant.includes(one) && nearest(one, meant) === name)
}

/** Values are read and written whole, as two of these say when they are true. */
function isUseless(name: string, value: string): boolean {
  if (name === 'readallfields' || name === 'writeallfields') return value.trim() !== 'true'
  return meaningless.includes(name)
}
