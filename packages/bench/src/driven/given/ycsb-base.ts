import { basename } from 'node:path'
import { readWhole } from '@unikv/core/files'
import { z } from 'zod'
import { type Workload, workloadSchema } from '../../operations/workload.ts'
import { choice, text } from '../../options/forms.ts'
import { invalidArgument } from '../../options/invalid.ts'
import { option, type Plain } from '../../options/option.ts'
import {
  givenProperty,
  type Properties,
  parseProperties,
  type YcsbPresetName,
  ycsbPreset,
} from '../../ycsb/properties.ts'
import { workloadOfProperties, type YcsbWorkload } from '../../ycsb/ycsb-workload.ts'

/** A workload to begin with, as the input of a configuration. */
export interface Base {
  readonly workload: { readonly mix: object; readonly [field: string]: unknown }
  /** Callers, rate and lengths that the properties set. */
  readonly loop: object
  /** Phases of a module, as they stand there. */
  readonly phases?: unknown
  readonly warnings: readonly string[]
}

/** Records of a preset; the property files of YCSB have 1000. */
const presetRecords = 10_000

/**
 * The workload of a preset, of property files, and of single properties; later ones win. A preset has no callers, rate or
 * number of operations of its own.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the property or file that is wrong
 */
export async function ycsbBase(given: WorkloadSources): Promise<Base> {
  const { propertyFile = [], property = [] } = given
  const preset = presetOf(given)
  const files = await Promise.all(propertyFile.map(propertiesOf))
  const singles = property.map((text) => givenProperty(text))
  const own = new Map([...files, ...singles].flatMap((properties) => [...properties]))
  const { workload, warnings } = workloadOfProperties(new Map([...preset, ...own]))
  return { workload: { name: nameOf(given), ...ycsbFields(workload) }, loop: loopOf(workload, own), warnings }
}

/** A core workload of YCSB with so many records of so many bytes. */
export function presetWorkload(
  preset: YcsbPresetName,
  { records, valueBytes }: { readonly records: number; readonly valueBytes: number },
): Workload {
  const { workload } = workloadOfProperties(ycsbPreset(preset))
  const values = { kind: 'constant', length: valueBytes }
  return workloadSchema.parse({ name: preset, ...ycsbFields(workload), records, values })
}

/** The fields of a workload that properties say, as the input of `workloadSchema`. */
export function ycsbFields(workload: YcsbWorkload): Base['workload'] {
  return {
    records: workload.records,
    firstRecord: workload.insertStart,
    mix: workload.mix,
    keys: workload.keys,
    keyNames: workload.keyNames,
    values: workload.valueBytes,
    scan: workload.scanLength,
    check: workload.checkReads,
  }
}

function presetOf({ preset, propertyFile = [] }: WorkloadSources): Properties {
  if (propertyFile.length === 0) {
    const recordcount = { value: String(presetRecords), source: 'preset' }
    return new Map([...ycsbPreset((preset ?? 'b') as YcsbPresetName), ['recordcount', recordcount]])
  }
  if (preset === undefined) return new Map()
  throw invalidArgument('Choose --preset or --property-file, not both.')
}

function nameOf({ preset = 'b', propertyFile = [] }: WorkloadSources): string {
  return propertyFile.length === 0 ? preset : propertyFile.map((file) => basename(file)).join(' + ')
}

async function propertiesOf(file: string): Promise<Properties> {
  const text = await readWhole(file).catch((cause: NodeJS.ErrnoException) => {
    const message = `The property file ${file} cannot be read (${cause.code}).`
    throw invalidArgument(message, cause)
  })
  return parseProperties(text.toString('utf8'), basename(file))
}

/**
 * Only the properties that the user wrote: a preset leaves the defaults of the command. Threads of YCSB at a target bound the
 * operations in flight, and begin late when all are busy.
 */
function loopOf(workload: YcsbWorkload, own: Properties): object {
  const { concurrency, operations, targetRate, maxSeconds } = workload
  const callers = targetRate === undefined ? { concurrency } : { maxInFlight: concurrency, whenFull: 'queue' }
  return {
    ...(own.has('threadcount') && callers),
    ...(own.has('operationcount') && { operations, durationMs: 86_400_000 }),
    ...(targetRate !== undefined && { rate: targetRate }),
    ...(maxSeconds !== undefined && { durationMs: maxSeconds * 1_000 }),
  }
}

const several = z.array(z.string()).optional()

/** Options that a workload is made from; its own options change it. */
export const workloadSources = z.strictObject({
  /** A module with own operations. */
  workload: option(z.string().optional(), {
    help: 'TypeScript or JavaScript module with operations of your own',
    ...text('<file>'),
  }),
  preset: option(z.string().optional(), {
    help: 'workload of YCSB, from a to f',
    ...choice('a', 'b', 'c', 'd', 'e', 'f'),
    preset: 'b',
  }),
  propertyFile: option(several, {
    help: 'YCSB property file with the workload',
    ...text('<file>'),
    letter: 'P',
    isRepeatable: true,
  }),
  property: option(several, {
    help: 'one YCSB property, over those of the file',
    ...text('<name=value>'),
    letter: 'p',
    isRepeatable: true,
  }),
})

/** The sources of a workload, as they were given. */
export type WorkloadSources = Plain<typeof workloadSources>
