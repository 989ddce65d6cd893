import type { Policy } from '@unikv/monitor/recorder'
import type { Action } from '../../log/action.ts'
import type { Observations } from '../../observe/observations.ts'
import type { Facts } from '../../tactic.ts'

/** A store, and all that is known of it. */
export interface Subject {
  readonly store: string
  /** Its product. */
  readonly kind: string
  readonly observations: Observations
  readonly configuration: Facts['configuration']
  /** Promises about this store, always in the same order. */
  readonly policies: readonly Policy[]
  /** Since when a promise is broken (milliseconds since the epoch); `undefined`: it is kept. */
  readonly brokenSince: (policy: Policy) => number | undefined
  /** Actions of this store. */
  readonly actions: readonly Action[]
  /** Attributes of the indexes that were found there. @default those that tuners made */
  readonly indexes?: readonly (readonly string[])[] | undefined
  readonly now: number
}
