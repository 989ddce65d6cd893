import { StoreError } from '@unikv/core'
import type { ProgramPlace } from '../../../drive/crew.ts'
import type { DriveHooks, DriveRequest, Driver, DriveSample, LoadSample } from '../../../drive/driver.ts'
import { runSessions } from '../../../session/run/run-sessions.ts'
import { openAccess } from '../access/open-access.ts'
import type { OpenedAccess } from '../access/opened.ts'
import type { SessionConfig } from '../config.ts'
import type { OwnFigures } from './own-figures.ts'

/** The part of a configuration by which sessions run. */
export type DrivenJob = Pick<
  SessionConfig,
  'benchmark' | 'access' | 'model' | 'sessions' | 'callers' | 'seed' | 'timeoutMs'
>

/** Settings of the program: plain JSON. */
export interface SessionProgramOptions {
  readonly job: DrivenJob
  /** Begins the names of tables of the run. */
  readonly prefix: string
}

/** Drives a share of the sessions of a job: in this thread, in one of several, or on a worker. */
export function programDriver({ store, keys, share, options }: ProgramPlace): Driver {
  const { job, prefix } = options as SessionProgramOptions
  return new SessionDriver(job, openAccess(job, { store, keys, prefix }), share)
}

class SessionDriver implements Driver {
  readonly #job: DrivenJob
  readonly #access: OpenedAccess
  readonly #share: ProgramPlace['share']

  constructor(job: DrivenJob, access: OpenedAccess, share: ProgramPlace['share']) {
    this.#job = job
    this.#access = access
    this.#share = share
  }

  /** The data is made by populations, in the process that measures. */
  load(): Promise<LoadSample> {
    throw new StoreError('UNSUPPORTED', 'Sessions load no records: their data is made by populations.')
  }

  async drive(
    { run, durationMs }: DriveRequest,
    { signal, onInterval, start }: DriveHooks,
  ): Promise<DriveSample> {
    const { db, benchmark } = this.#access
    const { model, sessions, callers, seed } = this.#job
    await start?.()
    const { sample, ...own } = await runSessions({
      benchmark,
      model,
      db,
      sessions,
      callers,
      durationMs,
      signal,
      seed: seed + run,
      share: this.#share,
      statistics: () => this.#access.statistics(),
      onInterval,
    })
    return { ...sample, own: own satisfies OwnFigures }
  }

  async close(): Promise<void> {}
}
