import { StoreError } from '@unikv/core'
import type { WorkloadSources } from '../../driven/given/sources.ts'
import { workloadOf } from '../../driven/given/workload-of.ts'
import type { Workload } from '../../operations/workload.ts'
import type { Given } from '../../options/plain.ts'
import type { Configured } from '../../study/study.ts'
import { type AxisField, defaultAxis } from './axis.ts'
import type { sweepConfigSchema } from './config.ts'
import { loadsOf } from './loads.ts'

type GivenSweep = Given<typeof sweepConfigSchema>

/** Options that an axis sets itself. */
const ownOf: Readonly<Record<AxisField, (given: GivenSweep) => unknown>> = {
  concurrency: ({ concurrency }) => concurrency,
  threads: ({ threads }) => threads,
  records: ({ workload }) => workload?.records,
  'value-size': ({ workload }) => workload?.values,
  batch: ({ workload }) => workload?.batch,
  'scan-length': ({ workload }) => workload?.scan,
  'read-share': ({ workload }) => workload?.mix,
}

/** The input of a configuration. */
export async function configure(given: GivenSweep, sources: WorkloadSources): Promise<Configured> {
  const { over = defaultAxis } = given as { readonly over?: typeof defaultAxis }
  if (ownOf[over.field](given) !== undefined) throw besideAxis(over.field)
  const { workload, loop, warnings } = await workloadOf(sources, given.workload)
  if ('rate' in loop)
    throw invalid('A sweep has no rate: each caller waits for its answer. Leave target out.')
  const loads = loadsOf(over.field, { given, sources }, workload as unknown as Workload)
  const config = { ...loop, ...given, over, loads, workload: { ...workload, mix: loads[0]?.mix } }
  return { config, warnings }
}

function besideAxis(field: AxisField): StoreError {
  const flag = field === 'read-share' ? 'mix' : field
  return invalid(`--${flag} says nothing beside --over ${field}.`)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
