import type { HistogramJson } from '@unikv/core/histogram'
import type { Averaged, DrivenBody } from '../../driven/result.ts'
import type { SessionCounts } from '../../session/run/sessions.ts'
import type { StudyResult } from '../../study/study.ts'
import type { SessionConfig } from './config.ts'

/** The whole result of a job: `result.json`. */
export type SessionResult = StudyResult<SessionConfig, SessionBody>

/** The fields of a result that are its own: those of driven stores, and what sessions add. */
export interface SessionBody extends DrivenBody {
  readonly jobs: readonly JobResult[]
}

/** Figures of a job beside throughput and latencies; a page of several jobs has them all. */
export interface JobResult {
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
  /** How conflicts are met: `optimistic`, `locks` or `SQL`; `none`: operations without transactions. */
  readonly control: string
  /** The things that `rate` counts: a load counts records, and each of its operations is a batch of them. */
  readonly unit: 'interactions' | 'operations' | 'records'
  /** As many a second ended within the time of a run; those that ended later are in the latencies alone. */
  readonly rate: Averaged
  /** Making the data, in milliseconds. */
  readonly populateMs: number
  readonly runs: readonly SessionRunResult[]
  /** Sentences about data that is not consistent in the end; `null`: it was not checked. */
  readonly problems: readonly string[] | null
}

/** Counts of one run. */
export interface SessionRunResult {
  readonly run: number
  readonly sessions: SessionCounts
  /** How often interactions had result modes: by interaction, then by mode. */
  readonly modes: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** How long interactions that were due waited for a caller, in nanoseconds. */
  readonly waits: HistogramJson
  /** Commits, conflicts, retries and waits of transactions. */
  readonly transactions: Readonly<Record<string, number>>
  readonly events: readonly EventResult[]
  readonly monitors: readonly MonitorResult[]
}

/** The numbers that a command told during a run. */
export interface MonitorResult {
  readonly name: string
  /** Turns that told numbers. */
  readonly readings: number
  /** Turns that failed, or told something else. */
  readonly failures: number
  /** Why the first of them counts as failed, with the first line of its standard error; `null`: none did. */
  readonly problem: string | null
  readonly series: readonly MonitorSeries[]
}

/** A number over time. */
export interface MonitorSeries {
  /** The name of the monitor, and that of the number if it told several. */
  readonly name: string
  /** Milliseconds since the start of the run, and the value. */
  readonly points: readonly (readonly [atMs: number, value: number])[]
}

/** A command that was run. */
export interface EventResult {
  /** Milliseconds since the start of the run. */
  readonly atMs: number
  readonly elapsedMs: number
  readonly command: string
  /** Why it counts as failed; `null`: it did not. */
  readonly problem: string | null
  readonly output: string
}
