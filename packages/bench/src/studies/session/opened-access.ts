import type { Bytes, KeyValue, Store } from '@unikv/core'
import type { Benchmark } from '../../session/model/benchmark.ts'
import type { Population } from '../../session/run/populate.ts'
import type { SessionConfig } from './config.ts'

/** The part of a configuration that says how data is reached. */
export type AccessedJob = Pick<SessionConfig, 'benchmark' | 'module' | 'access' | 'model' | 'timeoutMs'>

/** Where the data of a job is. */
export interface DataPlace {
  readonly store: Store<Bytes>
  /** The run's own namespace. */
  readonly keys: KeyValue<string, Bytes>
  /** Begins the names of tables of the run. */
  readonly prefix: string
}

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
