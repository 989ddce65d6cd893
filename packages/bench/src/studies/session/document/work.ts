import { type Workload, workloadSchema } from '../../../operations/workload.ts'
import { checkModel } from '../check.ts'
import type { SessionConfig } from '../config.ts'
import { type JobModules, moduleSchema } from './modules.ts'
import { loadSchema, loadWorkload, ycsbSchema, ycsbWorkload } from './operations.ts'
import type { DatabasePart, MeasurePart, PopulatePart } from './schema.ts'
import { benchmarkOf, defaultModel, modelOf, sessionSchema } from './sessions.ts'
import { type Place, shaped, within, wrongIn } from './shaped.ts'

/** The kinds of work of a job, one of which its `workload` has. */
export const kinds = ['session', 'ycsb', 'load', 'module'] as const

/** The fields of a configuration that say the work. */
export interface GivenWork extends Pick<SessionConfig, 'benchmark' | 'model' | 'sessions' | 'callers'> {
  readonly operations: Workload | null
  readonly loads?: number
  readonly module?: SessionConfig['module']
  readonly modelName?: string
}

/** The work of a job: sessions, or operations in their place. */
export function workIn(
  workload: Readonly<Record<string, unknown>>,
  modules: JobModules,
  place: Place,
): GivenWork {
  const given = kinds.filter((kind) => (workload[kind] ?? undefined) !== undefined)
  if (given.length > 1)
    throw wrongIn(place, `workload.${given[1]}`, `there is ${given[0]}, too: leave one of them out`)
  if (given[0] === 'ycsb') return ycsbIn(workload['ycsb'], place)
  if (given[0] === 'load') return loadIn(workload['load'], place)
  if (given[0] === 'module') return moduleIn(workload['module'], modules, place)
  return sessionsIn(workload['session'], modules, place)
}

/** Parts of a job beside its work. */
interface Parts {
  readonly database: DatabasePart
  readonly populate: PopulatePart
  readonly measure: MeasurePart
}

function sessionsIn(given: unknown, { benchmark: own }: JobModules, place: Place): GivenWork {
  const session = shaped(sessionSchema, given, 'workload.session', place)
  const sessions = session.sessions ?? session.numOfThreads ?? own?.definition.sessions ?? 1
  const { Transitions, numOfThreads: callers = sessions } = session
  const benchmark = benchmarkOf(session, own, place)
  const model = modelOf(session, benchmark, own?.definition.model, place)
  within(place, 'workload.session', () => checkModel({ benchmark, model, sessions }))
  const nameless = own === undefined ? defaultModel : 'that of the module'
  const named = Transitions === undefined ? { modelName: session.model ?? nameless } : {}
  const module = own === undefined ? {} : { module: own.reference }
  return { benchmark: benchmark.name, ...module, operations: null, model, ...named, sessions, callers }
}

function moduleIn(given: unknown, { workload }: JobModules, place: Place): GivenWork {
  const part = shaped(moduleSchema, given, 'workload.module', place)
  const { numOfThreads: callers = 1, records = workload?.records } = part
  const operations = workloadSchema.parse({ ...workload, records })
  return { benchmark: 'module', operations, model: { transitions: {} }, sessions: callers, callers }
}

function ycsbIn(given: unknown, place: Place): GivenWork {
  const part = shaped(ycsbSchema, given, 'workload.ycsb', place)
  const { numOfThreads: callers = 1 } = part
  const operations = ycsbWorkload(part, place)
  return { benchmark: 'ycsb', operations, model: { transitions: {} }, sessions: callers, callers }
}

function loadIn(given: unknown, place: Place): GivenWork {
  const part = shaped(loadSchema, given, 'workload.load', place)
  const { numOfThreads: callers = 1 } = part
  const operations = loadWorkload(part, place)
  const loads = operations.records / operations.batch
  return { benchmark: 'load', operations, loads, model: { transitions: {} }, sessions: callers, callers }
}

/** Refuse elements that say nothing of operations on single records, or of loading, which ends with its last record. */
export function refuseIdle({ database, populate, measure }: Parts, work: GivenWork, place: Place): void {
  const { access, transactions, retry, joins } = database
  const { duration, rampUp } = work.loads === undefined ? {} : measure
  const idle = Object.entries({
    'database.access': access,
    'database.transactions': transactions,
    'database.retry': retry,
    'database.joins': joins,
    'workload.populate.threads': populate.threads,
    'workload.populate.check': populate.check,
    'workload.measure.duration': duration,
    'workload.measure.rampUp': rampUp,
  }).find(([, value]) => value !== undefined)
  if (idle !== undefined)
    throw wrongIn(place, idle[0], `it says nothing of workload.${work.benchmark}: leave it out`)
}
