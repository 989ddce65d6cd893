import { StoreError } from '@unikv/core'
import { checkedModel, checkPlaces, type SessionModel } from '@unikv/session'
import type { StudySubject } from '@unikv/workload'
import { checkWorkload } from '@unikv/workload/driven'
import { modelContext } from './access/plans.ts'
import type { SessionBenchmark, SessionConfig } from './config.ts'

/** Refuse, before anything is sent, a model that does not fit its benchmark, and events that would never happen. */
export function check({ config, stores }: StudySubject<SessionConfig>): void {
  const { operations, benchmark, model, sessions } = config
  if (benchmark === 'auction' || benchmark === 'micro') checkModel({ benchmark, model, sessions })
  if (operations !== null) checkWorkload(operations, stores)
  const late = config.events.find(({ atMs }) => atMs >= config.durationMs)
  if (late === undefined) return
  const message = `An event is at ${late.atMs / 1000} s, and a run ends after ${config.durationMs / 1000} s. Measure longer, or let it happen earlier.`
  throw new StoreError('INVALID_CONFIG', message)
}

/** Parameters that the data is made by. */
const ofData = /^(USER|SET)_NUM$|_PER_/

/**
 * Refuse a model that does not fit its benchmark, or its sessions.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkModel(job: {
  readonly benchmark: SessionBenchmark
  readonly model: SessionModel
  readonly sessions: number
}): void {
  checkPlaces(checkedModel(job.model, modelContext(job.benchmark)), job.sessions)
  const drawn = Object.entries(job.model.parameters ?? {}).find(
    ([name, value]) => ofData.test(name) && typeof value === 'object',
  )
  if (drawn === undefined) return
  const message = `The parameter ${drawn[0]} must be one number, since the data is made by it.`
  throw new StoreError('INVALID_CONFIG', message)
}
