import type { SessionSample } from '../../../session/run/run-sessions.ts'

/** The work of a job over its store. */
export interface Work {
  /** How conflicts are met, in a word. */
  readonly control: string
  /** Make the data. */
  populate(): Promise<void>
  /** Work for a time. Each run, from 1, draws from streams of its own; 0 is the warm-up. */
  drive(run: number, durationMs: number): Promise<SessionSample>
  /** Read everything, and tell what is wrong with it; `null`: nothing can be told. */
  check(): Promise<readonly string[] | null>
  /** Remove what is not in the run's namespace, and release what was opened. */
  drop(): Promise<void>
}
