import type { StudyResult } from '../../study/study.ts'
import type { Curve } from '../sweep/result.ts'
import type { EvaluationConfig } from './config.ts'

/** All that `unikv evaluate` found: `result.json`. */
export type EvaluationResult = StudyResult<EvaluationConfig, EvaluationBody>

/** The fields of a result beyond those of every study. */
export interface EvaluationBody {
  /** A curve of every store and load, eventual consistency among them. */
  readonly curves: readonly Curve[]
  /** Stores that were given up during the run. */
  readonly failures: readonly StoreFailure[]
  readonly shapes: readonly ShapeOf[]
  readonly scenarios: readonly ScenarioResult[]
  readonly comparisons: readonly LevelComparison[]
  /** Measured candidates, the best first. */
  readonly ranking: readonly Ranked[]
}

/** A store that was given up. */
export interface StoreFailure {
  readonly store: string
  readonly error: string
}

/** The form of a curve of throughput over callers. */
export type Shape = 'linear' | 'saturation' | 'inflection' | 'discontinuity'

/** The shape of one curve. */
export interface ShapeOf {
  readonly store: string
  readonly load: string
  readonly shape: Shape
  /** Callers at which it saturates, has its highest throughput, or jumps; `null` of a linear one, and of one that still rises. */
  readonly at: number | null
}

/** A scenario and what a candidate did. */
export interface ScenarioResult {
  readonly scenario: string
  readonly candidate: string
  /** In the unit of the measure; `null`: too few operations succeeded to tell. */
  readonly found: number | null
  readonly holds: boolean
}

/** Strong beside eventual consistency. */
export interface LevelComparison {
  readonly candidate: string
  readonly load: string
  readonly points: readonly LevelPoint[]
}

/** Operations a second of both levels at a number of callers. */
export interface LevelPoint {
  readonly callers: number
  readonly strong: number
  readonly eventual: number
  /** The part of the throughput that strong consistency costs, from 0 to 1; negative if it is faster. */
  readonly cost: number
}

/** A candidate in the order of choice. */
export interface Ranked {
  readonly candidate: string
  /** The first and the last place that its runs leave open. @default its own place: an earlier result */
  readonly places?: readonly [first: number, last: number] | undefined
  /** Sum of the weights of scenarios that hold. */
  readonly met: number
  readonly of: number
  /** Geometric mean over the loads of its highest throughput, as a part of that of the best candidate. */
  readonly throughput: number
  /** In sentences. */
  readonly reasons: readonly string[]
}
