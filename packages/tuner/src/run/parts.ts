import type { Policy } from '@unikv/monitor/recorder'
import type { Approve } from '../approval.ts'
import type { KeptLessons } from '../learn/kept-lessons.ts'
import type { Action } from '../log/action.ts'
import type { TunerLog } from '../log/tuner-log.ts'
import type { Facts, Tactic, TunedStore } from '../tactic.ts'

/** The parts of a course. */
export interface CourseParts {
  readonly policies: readonly Policy[]
  readonly tactics: readonly Tactic[]
  readonly approve: Approve
  readonly log: TunerLog
  /** Lessons of before. @default nothing is learned */
  readonly lessons?: KeptLessons | undefined
  readonly placeOf: (store: string) => Omit<TunedStore, 'signal'> | undefined
  readonly configurationOf: (store: string) => Facts['configuration']
  /** Name of the process, for the log. */
  readonly by: string
  readonly onStep: (action: Action) => void
  readonly onError: (error: unknown) => void
  readonly clock: () => number
}
