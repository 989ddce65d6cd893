import { checkMix, type Workload, type workloadSchema } from '../../operations/workload.ts'
import type { Given } from '../../options/plain.ts'
import { ownBase } from './own-base.ts'
import type { WorkloadSources } from './sources.ts'
import { type Base, ycsbBase } from './ycsb-base.ts'

/** The options of a workload, as they were given. */
export type GivenWorkload = Given<typeof workloadSchema>

/**
 * The workload of a preset, of property files or of a module, changed by the options that were given: the input of
 * `workloadSchema`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the property, operation or file that is wrong
 */
export async function workloadOf(sources: WorkloadSources, given: GivenWorkload = {}): Promise<Base> {
  const { workload: file } = sources
  const base = file === undefined ? await ycsbBase(sources) : await ownBase(file, sources)
  const own = file === undefined && given.mix !== undefined ? { name: 'own' } : {}
  const workload = { ...base.workload, ...own, ...definedOf(given) } as Base['workload']
  checkMix(workload.mix as Workload['mix'], (workload['module'] ?? null) as Workload['module'])
  return { ...base, workload }
}

function definedOf(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
