import { StoreError } from '@unikv/core'
import { checkThreads, checkWorkers } from '../../drive/driver-of.ts'
import { checkWorkload } from '../../driven/check-workload.ts'
import type { StoreTarget } from '../../run/target.ts'
import { checkPartitions } from '../../session/model/parameters.ts'
import { type CheckedModel, checkedModel, type SessionModel } from '../../session/model/session-model.ts'
import { checkUserPartition } from '../../session/model/users.ts'
import type { StudySubject } from '../../study/study.ts'
import { modelContext } from './access/plans.ts'
import type { SessionBenchmark, SessionConfig } from './config.ts'
import { callersLoop } from './work/callers-loop.ts'

/** Refuse, before anything is sent, a model that does not fit its benchmark, and events that would never happen. */
export function check({ config, stores }: StudySubject<SessionConfig>): void {
  const { operations, benchmark, model, sessions } = config
  if (benchmark === 'auction' || benchmark === 'micro') checkModel({ benchmark, model, sessions })
  if (operations !== null) checkWorkload(operations, stores)
  checkPlacesOf(config, stores)
  const late = config.events.find(({ atMs }) => atMs >= config.durationMs)
  if (late === undefined) return
  const message = `An event is at ${late.atMs / 1000} s, and a run ends after ${config.durationMs / 1000} s. Measure longer, or let it happen earlier.`
  throw new StoreError('INVALID_CONFIG', message)
}

/** Refuse more threads or workers than can share the sessions, and stores that they cannot open. */
function checkPlacesOf(
  { threads, workers, sessions, callers, loads }: SessionConfig,
  stores: readonly StoreTarget[],
): void {
  const divided = { loop: callersLoop(Math.min(sessions, callers)), operations: loads }
  checkThreads(threads, divided, stores)
  checkWorkers(workers, divided, stores)
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

/**
 * Refuse a model that does not have users and numbers for each of so many sessions at the same time.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the parameter, if it is one
 */
function checkPlaces({ parameters, users }: CheckedModel, sessions: number): void {
  checkPartitions(parameters, sessions)
  checkUserPartition(users, sessions)
}
