import type { Limits } from '../../../session/model/limits.ts'
import type { Parameters } from '../../../session/model/parameters.ts'
import type { ThinkTimes } from '../../../session/model/think-time.ts'
import type { Users } from '../../../session/model/users.ts'
import type { YcsbPresetName } from '../../../ycsb/presets.ts'
import type { SessionBenchmark } from '../config.ts'

/** The part `database` of a job. */
export interface DatabasePart {
  readonly url: string
  readonly name?: string | undefined
  readonly access?: 'entities' | 'sql' | undefined
  readonly transactions?: 'auto' | 'records' | 'native' | undefined
  readonly retry?: 'default' | 'optimistic' | 'pessimistic' | undefined
  readonly joins?: 'batch' | 'each' | undefined
  readonly start?: string | undefined
  readonly stop?: string | undefined
}

/** Rows of transitions: states by name, and for each the states that may follow. */
export type TransitionsPart = Readonly<Record<string, Readonly<Record<string, NextPart | null>>>>

/** How often a state follows. */
export interface NextPart {
  readonly prob?: number | undefined
  readonly weight?: number | undefined
}

/** The part `workload/session` of a job. */
export interface SessionPart {
  readonly benchmark: SessionBenchmark
  readonly model?: string | undefined
  readonly Transitions?: TransitionsPart | undefined
  readonly parameters?: Parameters | undefined
  readonly limits?: Limits | undefined
  readonly think?: ThinkTimes | undefined
  readonly users?: Users | undefined
  readonly sessions?: number | undefined
  readonly numOfThreads?: number | undefined
}

/** The part `workload/ycsb` of a job. */
export interface YcsbPart {
  readonly workload: YcsbPresetName
  readonly records?: number | undefined
  /** Properties of YCSB, over those of the workload. */
  readonly properties?: Readonly<Record<string, string | number>> | undefined
  readonly numOfThreads?: number | undefined
}

/** The part `workload/load` of a job. */
export interface LoadPart {
  readonly records: number
  /** Bytes of values, in the words of `bench run --value-size`. */
  readonly size?: string | undefined
  /** Records of one call. */
  readonly batch?: number | undefined
  readonly numOfThreads?: number | undefined
}

/** The part `workload/measure` of a job; times in milliseconds. */
export interface MeasurePart {
  readonly rampUp?: number | undefined
  readonly duration?: number | undefined
  readonly runs?: number | undefined
  readonly seed?: number | undefined
  readonly timeout?: number | undefined
}

/** The part `workload/populate` of a job. */
export interface PopulatePart {
  readonly threads?: number | undefined
  readonly check?: boolean | undefined
}

/** The part `cluster` of a job: who runs its work. */
export interface ClusterPart {
  /** Threads of this process. */
  readonly threads?: number | undefined
  /** Workers elsewhere, which wait at a queue. */
  readonly workers?: number | undefined
  /** URL of Redis or Valkey. */
  readonly queue?: string | undefined
  /** The longest wait for workers, in milliseconds. */
  readonly wait?: number | undefined
}

/** One monitor. */
export interface MonitorPart {
  readonly name: string
  readonly command: string
  /** Milliseconds from one turn to the next. */
  readonly every?: number | undefined
}

/** One event. */
export interface EventPart {
  /** Milliseconds since the start of a run. */
  readonly at: number
  readonly command: string
}
