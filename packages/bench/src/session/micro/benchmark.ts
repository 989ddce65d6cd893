import type { Benchmark } from '../model/benchmark.ts'
import { type Executions, interactions } from '../model/interaction.ts'
import type { MicroCalls } from './calls.ts'
import { microModels } from './models.ts'
import { checkMicro, type MicroParameters, microParameters, microUsers } from './parameters.ts'
import { type MicroState, microPlans } from './plans.ts'

/** The benchmark Micro over a data access: content of users, by four kinds of entities in 19 interactions. */
export function micro<Db>(executions: Executions<Db, MicroCalls>): Benchmark<Db, MicroState> {
  return {
    name: 'micro',
    interactions: interactions(microPlans, executions),
    parameters: microParameters,
    models: microModels,
    users: microUsers,
    check: checkMicro,
    begin: (values) => ({ values: values as unknown as MicroParameters, picked: {} }),
  }
}
