import type { BenchCell, BenchEvent } from '@unikv/bench'

/** Shows how a run goes on. */
export interface Progress {
  readonly show: (event: BenchEvent<BenchCell>) => void
  /** Leave the line free for what comes next. */
  readonly end: () => void
}

/** Ways to show it that can be asked for. */
export type ProgressForm = 'text' | 'json'
