import { invalidConfig } from '@unikv/core/adapter'
import type { LoopPlan } from '../../drive/driver.ts'
import { checkThreads, checkWorkers } from '../../drive/driver-of.ts'
import { checkWorkload } from '../../driven/check-workload.ts'
import { auction } from '../../session/auction/benchmark.ts'
import { auctionByEntities } from '../../session/auction/by-entities.ts'
import { micro } from '../../session/micro/benchmark.ts'
import { microByEntities } from '../../session/micro/by-entities.ts'
import {
  checkedModel,
  checkPlaces,
  type ModelContext,
  type SessionModel,
} from '../../session/model/session-model.ts'
import type { StudySubject } from '../../study/study.ts'
import type { SessionConfig } from './config.ts'

/** The benchmarks that there are, by which models are checked: ways to the data do not differ in that. */
export const benchmarks = { auction: auction(auctionByEntities()), micro: micro(microByEntities) }

/** Refuse, before anything is sent, a model that does not fit its benchmark, and events that would never happen. */
export function check({ config, stores }: StudySubject<SessionConfig>): void {
  const { operations, benchmark, module, model, sessions, callers, loads } = config
  // The model of a module was checked with its document, and is again by those who drive it.
  if (operations === null && module === null) checkModel({ benchmark: builtInOf(benchmark), model, sessions })
  if (operations !== null) checkWorkload(operations, stores)
  const divided = { loop: callersLoop(Math.min(sessions, callers)), operations: loads }
  checkThreads(config.threads, divided, stores)
  checkWorkers(config.workers, divided, stores)
  const asked = config.monitors.find(({ command }) => command === undefined)
  const silent = asked && stores.find(({ store }) => store.statistics === undefined)
  if (silent !== undefined)
    throw invalidConfig(
      `The monitor ${asked?.name} asks for statistics, and ${silent.name} tells none. Give it a command.`,
    )
  const late = config.events.find(({ atMs }) => atMs >= config.durationMs)
  if (late === undefined) return
  const message = `An event is at ${late.atMs / 1000} s, and a run ends after ${config.durationMs / 1000} s. Measure longer, or let it happen earlier.`
  throw invalidConfig(message)
}

/** Callers that each wait for their answer. */
export function callersLoop(concurrency: number): LoopPlan {
  return { concurrency, rate: null, arrivals: 'constant', maxInFlight: 1, whenFull: 'queue' }
}

function builtInOf(name: string): ModelContext {
  if (name === 'auction' || name === 'micro') return benchmarks[name]
  throw invalidConfig(`There is no benchmark ${name}; there are auction and micro, and those of modules.`)
}

/** Parameters that the data is made by. */
const ofData = /^(USER|SET)_NUM$|_PER_/

/**
 * Refuse a model that does not fit its benchmark, or its sessions.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkModel(job: {
  readonly benchmark: ModelContext
  readonly model: SessionModel
  readonly sessions: number
}): void {
  checkPlaces(checkedModel(job.model, job.benchmark), job.sessions)
  if (!Object.values<unknown>(benchmarks).includes(job.benchmark)) return
  const drawn = Object.entries(job.model.parameters ?? {}).find(
    ([name, value]) => ofData.test(name) && typeof value === 'object',
  )
  if (drawn === undefined) return
  const message = `The parameter ${drawn[0]} must be one number, since the data is made by it.`
  throw invalidConfig(message)
}
