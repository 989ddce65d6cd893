import { Histogram, histogramJson, histogramOf } from '@unikv/core/histogram'
import type { DriveProgram } from '../../../drive/crew.ts'
import type { SessionSample } from '../../../session/run/run-sessions.ts'
import type { SessionConfig } from '../config.ts'

/** The name by which workers elsewhere know the program. */
export const programName = 'session'

/** The part of a configuration by which sessions run. */
type DrivenJob = Pick<
  SessionConfig,
  'benchmark' | 'module' | 'access' | 'model' | 'sessions' | 'callers' | 'seed' | 'timeoutMs'
>

/** Settings of the program: plain JSON. */
export interface SessionProgramOptions {
  readonly job: DrivenJob
  /** Begins the names of tables of the run. */
  readonly prefix: string
}

/** The program of a job's sessions, for threads and workers. */
export function sessionProgram(options: SessionProgramOptions): DriveProgram {
  return {
    name: programName,
    module: moduleOf(import.meta.url),
    options,
    merged: (parts) => mergedFigures(parts as readonly OwnFigures[]),
  }
}

/**
 * Beside this file, or in the build if this is the source: Node runs a thread without help. In a CommonJS bundle, which has no threads, it is
 * nowhere.
 */
function moduleOf(here: string | undefined): string {
  if (here === undefined) return ''
  const file = here.endsWith('.ts')
    ? '../../../../dist/studies/session/program/session-driver.js'
    : './session-driver.js'
  return new URL(file, here).href
}

/** Figures of a run of sessions beside its interactions. */
export type OwnFigures = Omit<SessionSample, 'sample'>

/** Where there are no sessions. */
export const noSessions: OwnFigures = {
  sessions: { begun: 0, ended: 0, interactions: 0, mostInteractions: 0, newUsers: 0 },
  modes: {},
  waits: histogramJson(new Histogram()),
  statistics: {},
}

/** The figures of several parts, such as runs, or threads that began together: counts and histograms are added. */
export function mergedFigures(parts: readonly OwnFigures[]): OwnFigures {
  return parts.reduce(both, noSessions)
}

function both(one: OwnFigures, other: OwnFigures): OwnFigures {
  const counts = sum({ ...one.sessions }, { ...other.sessions })
  const mostInteractions = Math.max(one.sessions.mostInteractions, other.sessions.mostInteractions)
  const names = new Set([one.modes, other.modes].flatMap((modes) => Object.keys(modes)))
  const waits = histogramOf(one.waits)
  waits.merge(histogramOf(other.waits))
  return {
    sessions: { ...counts, mostInteractions },
    modes: Object.fromEntries(
      [...names].map((name) => [name, sum(one.modes[name] ?? {}, other.modes[name] ?? {})]),
    ),
    waits: histogramJson(waits),
    statistics: sum(one.statistics, other.statistics),
  }
}

function sum<T extends Readonly<Record<string, number>>>(one: T, other: T): T {
  const all: Record<string, number> = { ...one }
  for (const [name, count] of Object.entries(other)) all[name] = (all[name] ?? 0) + count
  return all as T
}
