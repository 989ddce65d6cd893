import { StoreError } from '@unikv/core'
import type { ProgramPlace } from '../../../drive/crew.ts'
import type { Driver } from '../../../drive/driver.ts'
import { runSessions } from '../../../session/run/run-sessions.ts'
import { openAccess } from '../access.ts'
import type { OwnFigures, SessionProgramOptions } from './program.ts'

/** Drives a share of the sessions of a job: in this thread, in one of several, or on a worker. */
export async function programDriver({ store, keys, share, options }: ProgramPlace): Promise<Driver> {
  const { job, prefix } = options as SessionProgramOptions
  const { model, sessions, callers, seed } = job
  const access = await openAccess(job, { store, keys, prefix })
  const { db, benchmark } = access
  return {
    /** The data is made by populations, in the process that measures. */
    load() {
      throw new StoreError('UNSUPPORTED', 'Sessions load no records: their data is made by populations.')
    },
    async drive({ run, durationMs }, { signal, onInterval, start }) {
      await start?.()
      const statistics = (): object => access.statistics()
      const limits = { sessions, callers, durationMs, signal, seed: seed + run, share }
      const { sample, ...own } = await runSessions({
        benchmark,
        model,
        db,
        ...limits,
        statistics,
        onInterval,
      })
      return { ...sample, own: own satisfies OwnFigures }
    },
    async close() {},
  }
}
