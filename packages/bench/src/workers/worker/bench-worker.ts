import { StoreError } from '@unikv/core'
import { AbortController, pause, performance } from '@unikv/core/platform'
import { type Job, Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { toldError } from '../../drive/threads/messages.ts'
import { type JobData, jobSchema, type Outcome } from '../queue/job.ts'
import { expireLater, names, ownVersion, prefix, queueName, removeLeftovers } from '../queue/keys.ts'
import { checkReachable, connection, type QueueAddress, queueAddress, settledOrLost } from '../queue/redis.ts'
import {
  type QueueWorker,
  settingsOf,
  type WorkerEnd,
  type WorkerOptions,
  type WorkerSettings,
} from './options.ts'
import { Orders } from './orders.ts'
import { perform } from './perform.ts'
import { Stores } from './stores.ts'

/** A worker of BullMQ that does one job at a time. */
class BenchWorker implements QueueWorker {
  readonly name: string
  readonly ended: Promise<WorkerEnd>
  readonly #settings: WorkerSettings
  readonly #redis: Redis
  readonly #clients: readonly Redis[]
  readonly #queue: Queue
  readonly #worker: Worker<JobData>
  readonly #leave = new AbortController()
  #orders: Orders | undefined
  #stores: Stores | undefined
  #activeAt: number = performance.now()
  #hasLeftRun = false
  #isLost = false

  private constructor(address: QueueAddress, settings: WorkerSettings) {
    const { name, heartbeatMs } = settings
    this.name = name
    this.#settings = settings
    const [redis, queue, worker] = [false, false, true].map((isBlocking) =>
      connection(address, isBlocking),
    ) as [Redis, Redis, Redis]
    this.#clients = [redis, queue, worker]
    this.#redis = redis
    this.#queue = new Queue(queueName, { connection: queue, prefix, skipMetasUpdate: true })
    this.#worker = new Worker(queueName, (job: Job<JobData>) => this.#work(job), {
      connection: worker,
      prefix,
      name,
      autorun: false,
      lockDuration: 3 * heartbeatMs,
      lockRenewTime: heartbeatMs,
      stalledInterval: heartbeatMs,
      maxStalledCount: 1_000_000,
      drainDelay: 1,
      runRetryDelay: 1_000,
    })
    // The share went to another worker, or was given up.
    this.#worker.on('lockRenewalFailed', () => this.#orders?.end())
    this.#worker.on('error', (error) => this.#troubled(error, address))
    this.#worker.on('ready', () => void (this.#isLost = false))
    this.#queue.on('error', () => {})
    this.ended = this.#live()
  }

  static async start(settings: WorkerSettings): Promise<BenchWorker> {
    const address = queueAddress(settings.queue)
    await checkReachable(address)
    const worker = new BenchWorker(address, settings)
    await removeLeftovers(worker.#queue, worker.#redis)
    await worker.#worker.waitUntilReady()
    void worker.#worker.run().catch(() => {})
    settings.onNotice(`Worker ${settings.name} waits for runs at ${address.shown}.`)
    return worker
  }

  stop(): void {
    this.#hasLeftRun = this.#orders !== undefined
    this.#leave.abort()
    this.#orders?.end()
  }

  async #live(): Promise<WorkerEnd> {
    const end = await this.#end()
    await settledOrLost(this.#redis, this.#worker.close())
    await this.#stores?.close()
    const last = removeLeftovers(this.#queue, this.#redis).catch(() => {})
    await settledOrLost(
      this.#redis,
      last.then(() => this.#queue.close()),
    )
    for (const client of this.#clients) client.disconnect()
    return end
  }

  /** Why it ends, as soon as it must. */
  async #end(): Promise<WorkerEnd> {
    const { heartbeatMs, idleMs, once } = this.#settings
    const { signal } = this.#leave
    for (;;) {
      await pause(Math.min(heartbeatMs, idleMs), { signal })
      if (signal.aborted) return this.#hasLeftRun ? 'left a run' : 'stopped'
      await expireLater(this.#redis).catch(() => {})
      if (this.#orders !== undefined) continue
      const hasEnded = await this.#endSession().catch(() => false)
      if (hasEnded && once) return 'once'
      if (performance.now() - this.#activeAt > idleMs && this.#stores === undefined) return 'idle'
    }
  }

  /** Close the stores of a manager that is gone. Returns whether there was one. */
  async #endSession(): Promise<boolean> {
    const stores = this.#stores
    if (stores === undefined || (await this.#redis.exists(names.session(stores.session))) === 1) return false
    if (this.#orders !== undefined) return false
    this.#stores = undefined
    await stores.close()
    this.#settings.onNotice('The run has ended; this worker waits for the next one.')
    await removeLeftovers(this.#queue, this.#redis)
    return true
  }

  async #work(job: Job<JobData>): Promise<Outcome<unknown>> {
    const { name: worker, heartbeatMs, clock, programs } = this.#settings
    try {
      const data = checked(job.data, worker)
      const orders = new Orders(this.#redis, data, 3 * heartbeatMs)
      this.#orders = orders
      if (this.#leave.signal.aborted) orders.end()
      this.#settings.onNotice(doing(data))
      const stores = await this.#storesOf(data.session)
      const isLeaving = (): boolean => this.#leave.signal.aborted
      return await perform(job, { worker, redis: this.#redis, orders, stores, programs, clock, isLeaving })
    } catch (error) {
      return { type: 'failed', worker, error: toldError(error) }
    } finally {
      this.#orders = undefined
      this.#activeAt = performance.now()
    }
  }

  async #storesOf(session: string): Promise<Stores> {
    if (this.#stores?.session === session) return this.#stores
    await this.#stores?.close()
    const { open, stores: urls, name } = this.#settings
    this.#stores = new Stores(session, open, urls, name)
    return this.#stores
  }

  #troubled(error: Error, { shown }: QueueAddress): void {
    if (this.#isLost || !/ECONN|ETIMEDOUT|EPIPE|Connection is closed|ENOTFOUND/.test(error.message)) return
    this.#isLost = true
    this.#settings.onNotice(`The queue at ${shown} cannot be reached (${error.message}); trying again.`)
  }
}

/** @throws {StoreError} `INVALID_CONFIG` if the job is of another version, or not a job of unikv */
function checked(data: unknown, worker: string): JobData {
  const own = ownVersion()
  const { version } = (data ?? {}) as { readonly version?: unknown }
  if (version !== own) {
    const message = `Worker ${worker} is unikv ${own}, the manager is ${typeof version === 'string' ? version : 'something else'}. Install the same version on both.`
    throw new StoreError('INVALID_CONFIG', message)
  }
  const found = jobSchema.safeParse(data)
  if (found.success) return found.data
  throw new StoreError('INVALID_CONFIG', `Worker ${worker} cannot read the job: ${found.error.message}`)
}

function doing({ work, share: { index, of }, store: { name } }: JobData): string {
  const part = `share ${index + 1} of ${of} of ${name}`
  if (work.type === 'open') return `Opening ${name} for ${part}.`
  if (work.type === 'load') return `Loading ${part}.`
  return `Driving ${part} for up to ${work.request.durationMs / 1_000} s.`
}

/**
 * Start a worker: it takes a share of each run that a manager (`openCrew`) puts into the queue.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`, `UNAVAILABLE` or `ACCESS_DENIED`
 */
export async function startWorker(options: WorkerOptions): Promise<QueueWorker> {
  return BenchWorker.start(settingsOf(options))
}
