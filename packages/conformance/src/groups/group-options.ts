import type { Awaitable, Groups } from '@unikv/core'
import type { DescribeFunction, TestFunction } from '../options.ts'

/** Groups over a dataset, and how they end. */
export interface OpenedGroupStore {
  readonly groups: Groups
  /** Close the store of these groups. */
  close(): Promise<unknown>
}

/** Facts about the groups under test that the suite needs. */
export interface GroupOptions {
  readonly test: TestFunction
  /** Without it the topic stands in front of each title. */
  readonly describe?: DescribeFunction | undefined
  /** Groups over a dataset of their own that is empty. Called once a test; the suite closes them. */
  open(): Awaitable<OpenedGroupStore>
  /**
   * Groups over the dataset of these, as another process would open it. The suite closes them.
   *
   * @default the same ones
   */
  reopen?(opened: OpenedGroupStore): Awaitable<OpenedGroupStore>
  /**
   * How long a condition is waited for before it counts as *never*. It is long, so that a slow machine fails no test.
   *
   * @default 60000
   */
  readonly patienceMs?: number | undefined
  /** Transactions of each writer in the tests with many writers, for long proofs. @default 12 */
  readonly rounds?: number | undefined
  /** Seed of the random choices. @default 1 */
  readonly seed?: number | undefined
  /**
   * Topics to run, by title: for another form of a store that passes all of them.
   *
   * @default all
   */
  readonly topics?: RegExp | undefined
  /** Most bytes of a name of a group or of a key that the tests use. @default 180 */
  readonly maxKeyBytes?: number | undefined
}
