import type { StoreRequirements } from '@unikv/stores/knowledge'

/** An evaluation as it is written down. */
export interface EvaluationDocument {
  readonly name: string
  readonly question?: string | undefined
  /** A URL, or the name of a store of the knowledge base, whose facts alone are looked at, by name. */
  readonly candidates: Readonly<Record<string, string | CandidateDocument>>
  /** Facts that each candidate must have, and what its writes must survive. */
  readonly requires?: StoreRequirements | undefined
  /** Features of unikv that each candidate must have, such as `scan`. */
  readonly needs?: readonly string[] | undefined
  readonly workload?: WorkloadDocument | undefined
  /** Mixes of operations by name, such as `recent=80,observe=20`; each is measured by itself. */
  readonly loads?: Readonly<Record<string, string>> | undefined
  readonly sweep?: SweepDocument | undefined
  /** The load at which strong and eventual consistency are compared. @default the last one */
  readonly compare?: string | undefined
  readonly scenarios?: Readonly<Record<string, ScenarioDocument>> | undefined
  readonly seed?: number | undefined
  /** Deadline of every call. */
  readonly timeout?: string | undefined
}

/** A candidate with two levels of consistency. */
export interface CandidateDocument {
  readonly url: string
  /** The same store with eventual consistency. */
  readonly eventual?: string | undefined
}

/** As the options of `unikv bench sweep`; a module counts from the folder of the document. */
export interface WorkloadDocument {
  readonly module?: string | undefined
  readonly preset?: string | undefined
  readonly records?: number | undefined
  readonly keys?: string | undefined
  readonly valueSize?: string | number | undefined
  readonly scanLength?: string | number | undefined
}

/** The range of callers, and how long each is measured. */
export interface SweepDocument {
  readonly callers?: readonly number[] | undefined
  readonly runs?: number | undefined
  readonly duration?: string | undefined
  readonly warmup?: string | undefined
  readonly operations?: number | undefined
}

/** A quality-attribute scenario. */
export interface ScenarioDocument {
  readonly stimulus?: string | undefined
  readonly environment?: string | undefined
  readonly response?: string | undefined
  /** The goal, such as `recent.p95 < 50ms`. */
  readonly measure: string
  readonly load: string
  readonly callers: number
  readonly weight?: number | undefined
}
