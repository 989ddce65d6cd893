import { type Bytes, type KeyValue, StoreError } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import type { Job } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Clients } from '../../drive/clients.ts'
import type { ProgramModule } from '../../drive/crew.ts'
import type { Driver } from '../../drive/driver.ts'
import { type LocalDriver, localDriver } from '../../drive/local-driver.ts'
import { toldError } from '../../drive/threads/messages.ts'
import type { LoopClock } from '../../loop/clock.ts'
import { withMachine } from '../../run/machine.ts'
import type { Answers, JobData, Outcome, Report } from '../queue/job.ts'
import { names } from '../queue/keys.ts'
import type { Orders } from './orders.ts'
import type { Stores } from './stores.ts'

/** The means by which a worker does a job. */
export interface Tools {
  readonly worker: string
  readonly redis: Redis
  readonly orders: Orders
  readonly stores: Stores
  readonly programs: ReadonlyMap<string, ProgramModule>
  readonly clock: LoopClock | undefined
  /** Whether the user stops the worker. */
  readonly isLeaving: () => boolean
}

type Answer = Answers[JobData['work']['type']]

/** Progress of a load is told so often. */
const recordsEveryMs = 500

/** Do one share of one phase. It never throws: an error is in the outcome. */
export async function perform(job: Job<JobData>, tools: Tools): Promise<Outcome<Answer>> {
  const { worker, orders, isLeaving } = tools
  const tell = (report: Report): Promise<void> => job.updateProgress(report)
  const { data } = job
  try {
    await orders.open()
    if (orders.isOrphaned) return { type: 'orphaned', worker }
    if (orders.hasStart && data.work.type === 'drive') return { type: 'late', worker }
    await tell({ type: 'taken', worker })
    const { answer, inserted } = await worked(data, tools, tell)
    if (orders.isOrphaned) return { type: 'orphaned', worker }
    if (isLeaving())
      return { type: 'left', worker, answer: orders.lateMs === undefined ? null : answer, inserted }
    return { type: 'done', worker, answer, inserted, lateMs: orders.lateMs ?? 0 }
  } catch (error) {
    if (orders.isOrphaned) return { type: 'orphaned', worker }
    if (isLeaving()) return { type: 'left', worker, answer: null, inserted: data.inserted }
    return { type: 'failed', worker, error: toldError(error) }
  } finally {
    orders.close()
  }
}

async function worked(
  data: JobData,
  tools: Tools,
  tell: (report: Report) => Promise<void>,
): Promise<{ readonly answer: Answer; readonly inserted: number }> {
  const { work, inserted } = data
  const { orders, stores } = tools
  const { signal } = orders
  const start = (): Promise<void> => orders.begin(() => tell({ type: 'ready', worker: tools.worker }))
  if (work.type === 'open') {
    await stores.place(data)
    await start()
    return { answer: null, inserted }
  }
  const driver = await driverOf(data, tools)
  const insertedNow = (): number => ('inserted' in driver ? driver.inserted : inserted)
  if (work.type === 'drive') {
    const onInterval = (interval: Extract<Report, { readonly type: 'interval' }>['interval']): void =>
      void tell({ type: 'interval', interval }).catch(() => {})
    const answer = await withMachine(() => driver.drive(work.request, { signal, start, onInterval }))
    return { answer, inserted: insertedNow() }
  }
  await start()
  const answer = await driver.load(work.part, { signal, onProgress: sometimes(tell) })
  return { answer, inserted }
}

async function driverOf(data: JobData, tools: Tools): Promise<Driver | LocalDriver> {
  const { program, share } = data
  const { store, keys } = await tools.stores.place(data)
  if (program === null) return operations(data, tools, keys, await tools.stores.clients(data))
  const module = tools.programs.get(program.name)
  if (module === undefined) throw noProgram(tools.worker, program.name)
  return module.programDriver({ store, keys, share, options: program.options })
}

function operations(
  data: JobData,
  { redis, stores, clock }: Tools,
  keys: KeyValue<string, Bytes>,
  clients: Clients,
): LocalDriver {
  const { session, records, seed, share, inserted, store } = data
  const { timeoutMs } = store
  const fetched = (size: number, count: number) => async (): Promise<readonly Bytes[]> => {
    const bytes = await redis.getBuffer(names.objects(session, size, count))
    if (bytes === null) throw new Error('The objects of the manager are not in the queue any more.')
    return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
  }
  const objects = (size: number, count: number): Promise<readonly Bytes[]> =>
    stores.objects(size, count, fetched(size, count))
  return localDriver({ keys, clients, records, seed, timeoutMs, share, inserted, clock, data: { objects } })
}

function noProgram(worker: string, name: string): StoreError {
  const message = `Worker ${worker} was not given the program '${name}'. Start it by unikv bench worker, or give startWorker its \`programs\`.`
  return new StoreError('INVALID_CONFIG', message)
}

function sometimes(tell: (report: Report) => Promise<void>): (records: number) => void {
  let toldAt = -Infinity
  return (records) => {
    if (performance.now() - toldAt < recordsEveryMs) return
    toldAt = performance.now()
    void tell({ type: 'records', records }).catch(() => {})
  }
}
