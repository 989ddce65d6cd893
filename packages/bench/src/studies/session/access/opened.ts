import type { Benchmark } from '../../../session/model/benchmark.ts'
import type { Population } from '../../../session/run/populate.ts'

/** The data access of a job, opened, with its benchmark. */
export interface OpenedAccess<Db = never, State = never> {
  readonly db: Db
  readonly benchmark: Benchmark<Db, State>
  readonly populations: readonly Population<Db>[]
  /** How conflicts are met, in a word. */
  readonly control: string
  /** Counts of transactions since it was opened. */
  statistics(): object
  /** Read everything, and tell what is wrong with it; empty for consistent data. @default nothing can be told */
  check?(): Promise<readonly string[]>
  /** Make tables, where there are tables. */
  create(): Promise<void>
  /** Remove them. */
  drop(): Promise<void>
}
