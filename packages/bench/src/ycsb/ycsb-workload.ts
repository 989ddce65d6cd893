import type { KeyLaw } from '../keys/key-law.ts'
import type { KeyNames } from '../keys/key-space.ts'
import { invalidArgument } from '../options/invalid.ts'
import type { LengthLaw } from '../values/length-law.ts'
import { ignoredProperties, misspelled } from './known-properties.ts'
import { PropertyReader, recordLaw, requestLaw, scanLaw } from './laws.ts'
import type { Properties } from './properties.ts'

/** The operations of YCSB. */
export type YcsbOperation = 'read' | 'update' | 'insert' | 'scan' | 'read-modify-write'

/** A workload of YCSB as plain data. */
export interface YcsbWorkload {
  /** Records that are loaded, from number `insertStart` on. */
  readonly records: number
  readonly insertStart: number
  /** Operations of the run; `undefined` if the properties do not say. */
  readonly operations: number | undefined
  /** Inserts over which `zipfian` scatters its keys: twice as many as the mix says, as in YCSB. */
  readonly expectedInserts: number
  /** Weights of the operations, without those of 0. */
  readonly mix: Readonly<Partial<Record<YcsbOperation, number>>>
  readonly keys: KeyLaw
  readonly keyNames: KeyNames
  /** Bytes of a value, which holds all fields of a record. */
  readonly valueBytes: LengthLaw
  /** Records that a scan asks for. */
  readonly scanLength: LengthLaw
  /** Callers at the same time. */
  readonly concurrency: number
  /** Operations a second of all callers; `undefined`: as many as there can be. */
  readonly targetRate: number | undefined
  readonly maxSeconds: number | undefined
  /** Whether what was read is compared with what was written. */
  readonly checkReads: boolean
  /** Percentiles of the report. */
  readonly percentiles: readonly number[]
}

/** A workload, and sentences about what its properties say that does not apply or surprises. */
export interface YcsbReading {
  readonly workload: YcsbWorkload
  readonly warnings: readonly string[]
}

/** Operations, their properties and YCSB's defaults. */
const proportions: readonly (readonly [YcsbOperation, string, number])[] = [
  ['read', 'readproportion', 0.95],
  ['update', 'updateproportion', 0.05],
  ['insert', 'insertproportion', 0],
  ['scan', 'scanproportion', 0],
  ['read-modify-write', 'readmodifywriteproportion', 0],
]

/**
 * The workload that the properties describe, with YCSB's defaults.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the property that is impossible, and where it is from
 */
export function workloadOfProperties(properties: Properties): YcsbReading {
  const read = new PropertyReader(properties)
  checkClass(read)
  const operations = read.has('operationcount') ? read.whole('operationcount', 0, 1) : undefined
  const workload: YcsbWorkload = {
    ...records(read, properties),
    operations,
    expectedInserts: Math.floor((operations ?? 0) * read.number('insertproportion', 0, 0) * 2),
    mix: mixOf(read),
    keys: requestLaw(read),
    keyNames: {
      prefix: 'user',
      order: read.oneOf('insertorder', ['hashed', 'ordered'], 'hashed'),
      zeroPadding: read.whole('zeropadding', 1, 1, 100),
    },
    valueBytes: recordLaw(read),
    scanLength: scanLaw(read),
    concurrency: read.whole('threadcount', 1, 1),
    targetRate: read.number('target', 0, 0) || undefined,
    maxSeconds: read.number('maxexecutiontime', 0, 0) || undefined,
    checkReads: read.flag('dataintegrity', false),
    percentiles: percentilesOf(read),
  }
  const warnings = [ignoredProperties(properties), unsetProportions(read), partOfRecords(read, workload)]
  return { workload, warnings: warnings.filter((warning) => warning !== undefined) }
}

function checkClass(read: PropertyReader): void {
  const name = read.text('workload', 'CoreWorkload')
  if (!/(?:^|\.)(?:CoreWorkload|core)$/.test(name))
    throw read.wrong('workload', 'must be that of CoreWorkload')
}

function records(
  read: PropertyReader,
  properties: Properties,
): Pick<YcsbWorkload, 'records' | 'insertStart'> {
  const wrongName = read.has('recordcount') ? undefined : misspelled(properties, 'recordcount')
  if (wrongName !== undefined)
    throw invalidArgument(
      `The property ${wrongName} (${properties.get(wrongName)?.source}) is unknown. Did you mean recordcount?`,
    )
  const all = read.whole('recordcount', 0, 1)
  const insertStart = read.whole('insertstart', 0, 0, all - 1)
  return { records: read.whole('insertcount', all - insertStart, 1, all - insertStart), insertStart }
}

function mixOf(read: PropertyReader): YcsbWorkload['mix'] {
  const weights = proportions.map(
    ([name, property, otherwise]) => [name, read.number(property, otherwise, 0)] as const,
  )
  const used = weights.filter(([, weight]) => weight > 0)
  if (used.length === 0)
    throw invalidArgument(
      `All proportions of operations are 0. Set one of ${proportions.map(([, property]) => property).join(', ')}.`,
    )
  return Object.fromEntries(used)
}

function percentilesOf(read: PropertyReader): number[] {
  const percentiles = read.text('hdrhistogram.percentiles', '50,95,99').split(',').map(Number)
  if (percentiles.every((percentile) => percentile > 0 && percentile <= 100)) return percentiles
  throw read.wrong('hdrhistogram.percentiles', 'must be numbers up to 100 with commas between them')
}

function unsetProportions(read: PropertyReader): string | undefined {
  const isSet = ([, property]: (typeof proportions)[number]): boolean => read.has(property)
  const unset = proportions.slice(0, 2).filter((one) => !isSet(one))
  if (unset.length === 0 || !proportions.some(isSet)) return undefined
  const defaults = unset.map(([, property, otherwise]) => `${property} is ${otherwise}`)
  return `As in YCSB, ${defaults.join(' and ')} unless the properties set it.`
}

function partOfRecords(read: PropertyReader, { records, insertStart }: YcsbWorkload): string | undefined {
  const end = insertStart + records
  if (end === read.whole('recordcount', 0, 1)) return undefined
  return `insertcount leaves out records: the run uses ${insertStart} to ${end - 1}, and inserts from ${end} on.`
}
