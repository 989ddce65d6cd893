import { isPlainObject } from '@unikv/core/platform'
import type { OwnBenchmark } from '../own-benchmark.ts'
import type { JobModules } from './modules.ts'
import {
  type ClusterPart,
  clusterSchema,
  type DatabasePart,
  databaseSchema,
  emptySchema,
  eventsIn,
  measureSchema,
  monitorsIn,
  nameSchema,
  populateSchema,
} from './schema.ts'
import { objectIn, type Place, shaped, wrongIn } from './shaped.ts'
import { shownText } from './shown.ts'
import { kinds, refuseIdle, workIn } from './work.ts'

/** A job of a document. */
export interface GivenJob {
  readonly name: string
  /** URL of its store. */
  readonly url: string
  /** Commands that start and stop its servers. */
  readonly start: string | undefined
  readonly stop: string | undefined
  /** Parameters that the commands get. */
  readonly parameters: Readonly<Record<string, string>>
  /** Where workers wait that share its work. */
  readonly queue: GivenCluster['queue']
  /** The input of the study's configuration. */
  readonly config: unknown
}

/** The deadline of a call: populations and contended transactions take their time. */
const longestMs = 30_000

/** Loading ends with the last record. */
const longestLoadMs = 86_400_000

const parts = ['name', 'database', 'workload', 'cluster', 'report', 'events', 'monitors'] as const

/**
 * A job as its document says it, after everything is resolved.
 *
 * @param place the file, and where the job is in it, or a function that tells it for a path in the job
 * @param modules those that it names, loaded by `modulesOf`. @default it names none
 * @throws {StoreError} `INVALID_CONFIG` naming the place of what is wrong
 */
export function jobIn(data: unknown, place: Place, modules: JobModules = {}): GivenJob {
  if (!isPlainObject(data)) throw wrongIn(place, 'job', 'a job must be an object with database and workload')
  const job = data as Readonly<Record<string, unknown>>
  const parameters = parametersOf(job, place)
  const database = shaped(databaseSchema, job['database'], 'database', place)
  const workload = objectIn(job['workload'], 'workload', place, [...kinds, 'measure', 'populate'])
  const work = workIn(workload, modules, place)
  const measure = shaped(measureSchema, workload['measure'] ?? {}, 'workload.measure', place)
  const populate = shaped(populateSchema, workload['populate'] ?? {}, 'workload.populate', place)
  const { queue, ...cluster } = clusterIn(job['cluster'], place, (url) =>
    withVariables(url, 'cluster.queue', place),
  )
  shaped(emptySchema, job['report'] ?? {}, 'report', place)
  refuseNative(database, place)
  if (modules.benchmark !== undefined) refuseOther(database, modules.benchmark, place)
  if (work.operations !== null) refuseIdle({ database, populate, measure }, work, place)
  const own = shaped(nameSchema, job['name'] ?? undefined, 'name', place)
  // The name is shown, and is that of the folder.
  const name = shownText(
    own ??
      database.name ??
      (work.benchmark === 'module' ? work.operations?.name : undefined) ??
      work.benchmark,
  )
  return {
    name,
    url: withVariables(database.url, 'database.url', place),
    start: database.start,
    stop: database.stop,
    parameters,
    queue,
    config: {
      name,
      parameters,
      access: {
        style: database.access,
        transactions: database.transactions,
        retry: database.retry,
        joins: database.joins,
      },
      ...work,
      ...cluster,
      warmupMs: work.loads === undefined ? measure.rampUp : 0,
      durationMs: work.loads === undefined ? measure.duration : longestLoadMs,
      runs: measure.runs,
      seed: measure.seed,
      timeoutMs: measure.timeout ?? longestMs,
      populateCallers: populate.threads,
      checkPopulation: populate.check,
      events: eventsIn(job['events'], place),
      monitors: monitorsIn(job['monitors'], place),
    },
  }
}

/** Transactions over records are over groups in records. */
function refuseNative({ access, transactions = 'records' }: DatabasePart, place: Place): void {
  if (access !== 'transactions' || transactions === 'records') return
  const message = 'access: transactions keeps each entity in a record: leave it out'
  throw wrongIn(place, 'database.transactions', message)
}

/** A module opens its data access itself, and is told of transactions and retries. */
function refuseOther(
  { access, joins, transactions, retry }: DatabasePart,
  own: OwnBenchmark,
  place: Place,
): void {
  const idle = Object.entries({
    access,
    joins,
    ...(own.definition.open.length < 2 && { transactions, retry }),
  })
  const [name] = idle.find(([, value]) => value !== undefined) ?? []
  if (name === undefined) return
  const message =
    name === 'access' || name === 'joins'
      ? 'leave it out'
      : 'give it as open: (kv, access) => …, or leave it out'
  throw wrongIn(
    place,
    `database.${name}`,
    `the benchmark of ${own.reference.file} opens its data access itself: ${message}`,
  )
}

/** Everything else at the top of a job: single values, which other parts refer to. */
function parametersOf(job: Readonly<Record<string, unknown>>, place: Place): Record<string, string> {
  const others = Object.entries(job).filter(([name]) => !(parts as readonly string[]).includes(name))
  return Object.fromEntries(
    others.map(([name, value]) => {
      if (['string', 'number', 'boolean'].includes(typeof value)) return [name, String(value)]
      throw wrongIn(
        place,
        name,
        `a job has the parts ${parts.join(', ')}; its parameters must be single values`,
      )
    }),
  )
}

/** `${NAME}` stands for a variable of the environment, so that passwords stay out of documents. */
function withVariables(url: string, path: string, place: Place): string {
  return url.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = process.env[name]
    if (value !== undefined) return value
    throw wrongIn(place, path, `the variable ${name} of the environment is not set`)
  })
}

/** The threads or workers of a job. */
interface GivenCluster {
  readonly threads: number | undefined
  readonly workers: number | undefined
  /** Where workers wait, and how long they are waited for; `undefined`: there are none. */
  readonly queue: { readonly url: string; readonly waitMs: number | undefined } | undefined
}

/** The part `cluster` of a job. */
function clusterIn(given: unknown, place: Place, withVariables: (url: string) => string): GivenCluster {
  const part = shaped(clusterSchema, given ?? {}, 'cluster', place)
  const wrong = mistakeIn(part)
  if (wrong !== undefined) throw wrongIn(place, `cluster.${wrong[0]}`, wrong[1])
  const { threads, workers, queue: url, wait: waitMs } = part
  return { threads, workers, queue: url === undefined ? undefined : { url: withVariables(url), waitMs } }
}

function mistakeIn({ threads, workers, queue, wait }: ClusterPart): readonly [string, string] | undefined {
  if (threads !== undefined && workers !== undefined)
    return ['workers', 'there are threads, too: leave one of them out']
  if (workers !== undefined && queue === undefined)
    return ['workers', 'they need a `queue`: the URL of the Redis where they wait']
  if (workers === undefined && queue !== undefined)
    return ['queue', 'it needs `workers`: how many share the sessions']
  if (workers === undefined && wait !== undefined)
    return ['wait', 'it needs `workers`: it is the longest wait for them']
  return undefined
}
