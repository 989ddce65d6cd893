import type { GivenWorkload } from '../../driven/given/given.ts'
import type { RatePlan } from '../../loop/rate-plan.ts'

/** The fields of the command line as they were given. */
export interface Given extends GivenWorkload {
  readonly duration?: number
  readonly warmup?: number | 'steady'
  readonly operations?: number
  readonly concurrency?: number
  readonly rate?: RatePlan
  readonly runs?: number
  /** As it stands in a configuration file. */
  readonly phases?: unknown
  readonly until?: number
  readonly save?: string
}
