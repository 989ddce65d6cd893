import { StoreError } from '@unikv/core'
import { workloadOf } from '../../driven/given/workload-of.ts'
import type { Workload } from '../../operations/workload.ts'
import type { Configured } from '../../study/study.ts'
import { type Axis, type AxisField, defaultAxis } from './axis.ts'
import { type GivenLoads, loadsOf } from './loads.ts'

interface Given extends GivenLoads {
  readonly over?: Axis
  readonly concurrency?: number
  readonly threads?: number
  readonly duration?: number
  readonly operations?: number
  readonly warmup?: number
  readonly runs?: number
}

/** Fields that an axis sets itself. */
const ownFields: Readonly<Record<AxisField, keyof Given>> = {
  concurrency: 'concurrency',
  threads: 'threads',
  records: 'records',
  'value-size': 'valueSize',
  batch: 'batch',
  'scan-length': 'scanLength',
  'read-share': 'mix',
}

/** The input of a configuration. */
export async function configure(fields: Readonly<Record<string, unknown>>): Promise<Configured> {
  const given = fields as Given
  const { over = defaultAxis, concurrency, threads, operations, duration, warmup, runs } = given
  refuseOwnField(over.field, given)
  const { workload, loop, warnings } = await workloadOf(given)
  if ('rate' in loop)
    throw invalid('A sweep has no rate: each caller waits for its answer. Leave target out.')
  const loads = loadsOf(over.field, given, workload as unknown as Workload)
  const own = { concurrency, threads, operations, durationMs: duration, warmupMs: warmup, runs }
  const shared = Object.entries(fields).filter(([name]) => sharedNames.has(name))
  return {
    config: {
      ...loop,
      ...Object.fromEntries([...Object.entries(own).filter(([, value]) => value !== undefined), ...shared]),
      over,
      loads,
      workload: { ...workload, mix: loads[0]?.mix },
    },
    warnings,
  }
}

/** Fields that every study has. */
const sharedNames: ReadonlySet<string> = new Set(['seed', 'timeoutMs', 'allowNonEmpty'])

function refuseOwnField(field: AxisField, given: Given): void {
  const name = ownFields[field]
  if (given[name] === undefined) return
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw invalid(`--${flag} says nothing beside --over ${field}.`)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
