import type { GivenWorkload } from '@unikv/workload/driven'

/** The fields of the command line as they were given. */
export interface Given extends GivenWorkload {
  readonly duration?: number
  readonly warmup?: number | 'steady'
  readonly operations?: number
  readonly concurrency?: number
  readonly rate?: number
  readonly runs?: number
  readonly until?: number
}
