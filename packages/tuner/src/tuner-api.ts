import type { AnyManager } from '@unikv/manager'
import type { Policy } from '@unikv/monitor/recorder'
import type { Approve } from './approval.ts'
import type { LessonsState } from './learn/lessons-state.ts'
import type { Action } from './log/action.ts'
import type { LogKeeper } from './log/tuner-log.ts'
import type { Tactic } from './tactic.ts'

/** Settings of a tuner. */
export interface TunerOptions {
  /** The stores. Its configuration must have a monitor. */
  readonly manager: AnyManager
  /** Promises about the stores. @default those of the manager's monitor */
  readonly policies?: readonly Policy[] | undefined
  /** @default all that unikv has */
  readonly tactics?: readonly Tactic[] | undefined
  /**
   * `'ask'`: each proposal waits for its owner, and lapses after 24 hours. A policy or a function may say yes in the owner's
   * place. Without a yes nothing is ever done.
   *
   * @default 'ask'
   */
  readonly approve?: Approve | undefined
  /** Where the log is kept: the name of a store of the manager, or a KeyValue of bytes. @default the store in which the monitor keeps its figures; without one, in this process alone */
  readonly keepIn?: string | LogKeeper | undefined
  /**
   * Lessons of before: a file of `unikv tune learn`, or its contents; `false`: none. They weigh little, and what is measured
   * here outweighs it soon.
   *
   * @default what was learned on the machine of unikv's developers
   */
  readonly lessons?: string | LessonsState | false | undefined
  /** How often it looks, in milliseconds. @default 5000 */
  readonly everyMs?: number | undefined
  /** Told of each step of an action. */
  readonly onStep?: ((action: Action) => unknown) | undefined
  /** Told of what went wrong with looking, deciding or keeping; it is tried again at the next look. */
  readonly onError?: ((error: unknown) => unknown) | undefined
  /** Wall clock in milliseconds. @default Date.now */
  readonly clock?: (() => number) | undefined
}

/** Watches stores, proposes what would help, and does what was approved. */
export interface Tuner {
  /** All actions of all processes, the earliest first. */
  actions(): Promise<readonly Action[]>
  /** Say yes to a proposal, in the name of a person. `by` is kept in the log. @default the name of this process */
  approve(id: string, by?: string): Promise<Action>
  /** Say no to it. */
  reject(id: string, by?: string): Promise<Action>
  /** Take back what was done. */
  undo(id: string, by?: string): Promise<Action>
  /**
   * Leave a store alone, or all of them: a migration, a repair, or a copy by another tool is under way. Nothing is decided, begun or measured; what was
   * begun ends, and the owner may still take back. All processes obey.
   */
  pause(options?: PauseOptions): Promise<void>
  /** End the pause of a store; without one all pauses. */
  resume(store?: string): Promise<void>
  /** Look now, instead of at the next time. */
  look(): Promise<void>
  /** Stop looking. Another process goes on with actions that were begun, or this one after its next start. */
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** A pause of a tuner. */
export interface PauseOptions {
  /** @default all stores */
  readonly store?: string | undefined
  /** How long, in milliseconds; at most seven days. @default an hour */
  readonly forMs?: number | undefined
  /** For those who read `unikv tune`. */
  readonly why?: string | undefined
}
