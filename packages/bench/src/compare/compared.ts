import type { Comparison } from '../statistics/compare/comparison-result.ts'
import type { ResultFigure } from './figures.ts'

/** One figure of two results. */
export interface ComparedFigure {
  readonly store: string
  readonly dimensions: ResultFigure['dimensions']
  /** Such as `rate`, `mean`, `p99` or `misses`. */
  readonly figure: string
  readonly unit: ResultFigure['unit']
  readonly comparison: Comparison
  /** It would be better, were it not for operations that found nothing or failed. @default false */
  readonly isWithheld?: boolean | undefined
}

/** A store in two results. */
export interface ComparedPair {
  readonly names: readonly [base: string, other: string]
  /** The two were measured in turn, by several invocations each, or at two moments. */
  readonly unit: 'turns' | 'invocations' | 'moments'
  /** Mean load average of the machine during the runs of either; `null`: it was not kept. */
  readonly loads: readonly [base: number | null, other: number | null]
  /** Whether all of one side was measured before all of the other. @default false */
  readonly isApart?: boolean | undefined
  /** Why the two were not measured alike; empty if they were. */
  readonly differences: readonly string[]
  /** Figures of the base that the other result does not have, in sentences: a store that failed must not pass for equal. */
  readonly missing: readonly string[]
  readonly figures: readonly ComparedFigure[]
}
