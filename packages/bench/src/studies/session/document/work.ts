import { isStoreError } from '@unikv/core'
import { type Workload, workloadSchema } from '../../../operations/workload.ts'
import type { SessionModel } from '../../../session/model/session-model.ts'
import type { LengthLaw } from '../../../values/length-law.ts'
import { parseLengthLaw } from '../../../values/parse-length-law.ts'
import { checkModel } from '../check.ts'
import type { SessionConfig } from '../config.ts'
import { defaultModel, modelOf } from './model.ts'
import { type Place, wrongIn } from './place.ts'
import type { DatabasePart, MeasurePart, PopulatePart } from './schema.ts'
import { type SessionPart, sessionSchema } from './session-schema.ts'
import { shaped } from './shaped.ts'
import { type LoadPart, loadSchema, ycsbSchema } from './work-schema.ts'
import { ycsbWorkload } from './ycsb.ts'

/** The kinds of work of a job, one of which its `workload` has. */
export const kinds = ['session', 'ycsb', 'load'] as const

/** The fields of a configuration that say the work. */
export interface GivenWork extends Pick<SessionConfig, 'benchmark' | 'model' | 'sessions' | 'callers'> {
  readonly operations: Workload | null
  readonly loads?: number
  readonly modelName?: string
}

/** The work of a job: sessions, or operations in their place. */
export function workIn(workload: Readonly<Record<string, unknown>>, place: Place): GivenWork {
  const given = kinds.filter((kind) => (workload[kind] ?? undefined) !== undefined)
  if (given.length > 1)
    throw wrongIn(place, `workload.${given[1]}`, `there is ${given[0]}, too: leave one of them out`)
  if (given[0] === 'ycsb') return ycsbIn(workload['ycsb'], place)
  if (given[0] === 'load') return loadIn(workload['load'], place)
  return sessionsIn(workload['session'], place)
}

/** Parts of a job beside its work. */
interface Parts {
  readonly database: DatabasePart
  readonly populate: PopulatePart
  readonly measure: MeasurePart
}

function sessionsIn(given: unknown, place: Place): GivenWork {
  const session = shaped(sessionSchema, given, 'workload.session', place)
  const sessions = session.sessions ?? session.numOfThreads ?? 1
  const { benchmark, Transitions: own, numOfThreads: callers = sessions } = session
  const model = fitting(session, sessions, place)
  const named = own === undefined ? { modelName: session.model ?? defaultModel } : {}
  return { benchmark, operations: null, model, ...named, sessions, callers }
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

/** The model of a session part, if it fits its benchmark. */
function fitting(session: SessionPart, sessions: number, place: Place): SessionModel {
  const model = modelOf(session, place)
  try {
    checkModel({ benchmark: session.benchmark, model, sessions })
    return model
  } catch (error) {
    if (isStoreError(error)) throw wrongIn(place, 'workload.session', error.message)
    throw error
  }
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

/**
 * The workload of loading records in batches.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the place of what is wrong
 */
function loadWorkload({ records, size = '1000', batch = 100 }: LoadPart, place: Place): Workload {
  if (records % batch !== 0)
    throw wrongIn(place, 'workload.load.records', `it must be a multiple of batch (${batch}), got ${records}`)
  return workloadSchema.parse({
    name: 'load',
    records,
    batch,
    mix: { 'batch-insert': 1 },
    keys: { kind: 'uniform' },
    values: valuesOf(size, place),
  })
}

function valuesOf(size: string, place: Place): LengthLaw {
  try {
    return parseLengthLaw(size)
  } catch (error) {
    if (isStoreError(error)) throw wrongIn(place, 'workload.load.size', error.message)
    throw error
  }
}
