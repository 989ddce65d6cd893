import type { Action } from './log/action.ts'

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
