import { newVersion } from '@unikv/core'
import { AbortController, pause } from '@unikv/core/platform'
import { Queue, QueueEvents, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { QueueAddress } from '../queue/address.ts'
import type { JobData, Outcome, Report } from '../queue/job.ts'
import { expireLater, removeLeftovers } from '../queue/leftovers.ts'
import { names, prefix, queueName } from '../queue/names.ts'
import { connection, settledOrLost, timeOf } from '../queue/redis.ts'
import { otherManager } from './words.ts'

/** Plain keys of a session live so long without the manager. */
const keysLiveMs = 60_000
/** The last events of the queue; the answers do not depend on them. */
const mostEvents = 500
/** A job returns to the queue whenever its worker is lost; the manager decides whether it may be done again. */
const anyNumber = 1_000_000

/** An event of a job, as the manager hears it. */
export type JobEvent =
  | { readonly type: 'report'; readonly report: Report }
  /** There is a return value. */
  | { readonly type: 'completed' }
  /** The worker was silent for three heartbeats, and the job waits for another one. */
  | { readonly type: 'stalled' }
  | { readonly type: 'failed'; readonly reason: string }

/** How a session waits and tells. */
export interface SessionOptions {
  readonly waitMs: number
  readonly heartbeatMs: number
  readonly onNotice: (text: string) => void
}

/** A manager's place in the queue: its connections, jobs and keys. */
export class Session {
  readonly id: string = newVersion()
  readonly address: QueueAddress
  readonly options: SessionOptions
  readonly #redis: Redis
  readonly #clients: readonly Redis[]
  readonly #queue: Queue<JobData>
  readonly #events: QueueEvents
  readonly #checker: Worker
  readonly #listeners = new Map<string, (event: JobEvent) => void>()
  /** Jobs that may still be in Redis. */
  readonly #jobs = new Set<string>()
  /** Plain keys that are kept alive. */
  readonly #keys = new Set<string>()
  readonly #end = new AbortController()
  #beating: Promise<void> = Promise.resolve()
  #phases = 0

  private constructor(address: QueueAddress, options: SessionOptions, since: number) {
    this.address = address
    this.options = options
    const [redis, queue, events, checker] = [false, false, true, true].map((isBlocking) =>
      connection(address, isBlocking),
    ) as [Redis, Redis, Redis, Redis]
    this.#clients = [redis, queue, events, checker]
    this.#redis = redis
    this.#queue = new Queue(queueName, {
      connection: queue,
      prefix,
      streams: { events: { maxLen: mostEvents } },
    })
    this.#events = new QueueEvents(queueName, {
      connection: events,
      prefix,
      lastEventId: `${Math.floor(since)}-0`,
    })
    const { heartbeatMs: stalledInterval } = options
    const checks = { stalledInterval, maxStalledCount: anyNumber, autorun: false }
    this.#checker = new Worker(queueName, null, { connection: checker, prefix, ...checks })
    // Commands tell of errors, too.
    this.#queue.on('error', () => {})
    this.#events.on('error', () => {})
    this.#checker.on('error', () => {})
    this.#listen()
  }

  static async open(address: QueueAddress, options: SessionOptions): Promise<Session> {
    const client = connection(address, false)
    const since = await timeOf(client).finally(() => client.disconnect())
    const session = new Session(address, options, since)
    try {
      await session.#open()
      return session
    } catch (error) {
      await session.close()
      throw error
    }
  }

  async #open(): Promise<void> {
    await this.#claim()
    await this.#redis.set(names.session(this.id), this.id, 'PX', 3 * this.options.heartbeatMs)
    this.#beating = this.#beat()
    await removeLeftovers(this.#queue, this.#redis)
    await Promise.all([this.#queue.waitUntilReady(), this.#events.waitUntilReady()])
    await this.#checker.startStalledCheckTimer()
  }

  /** Become the only manager of the queue; the claim of one that was killed expires. */
  async #claim(): Promise<void> {
    const { heartbeatMs } = this.options
    for (let turn = 0; turn < 16; turn++) {
      const claim = await this.#redis.set(names.manager, this.id, 'PX', 3 * heartbeatMs, 'NX')
      if (claim === 'OK') return
      await pause(heartbeatMs / 4)
    }
    throw otherManager(this.address)
  }

  #listen(): void {
    const tell = (jobId: string, event: JobEvent): void => this.#listeners.get(jobId)?.(event)
    this.#events.on('progress', ({ jobId, data }) => tell(jobId, { type: 'report', report: data as Report }))
    this.#events.on('completed', ({ jobId }) => tell(jobId, { type: 'completed' }))
    this.#events.on('stalled', ({ jobId }) => tell(jobId, { type: 'stalled' }))
    this.#events.on('failed', ({ jobId, failedReason }) =>
      tell(jobId, { type: 'failed', reason: failedReason }),
    )
  }

  /** Workers end what they do for a session whose sign of life is missing. */
  async #beat(): Promise<void> {
    const { signal } = this.#end
    const { heartbeatMs } = this.options
    while (!signal.aborted) {
      await pause(heartbeatMs, { signal, ref: false })
      if (signal.aborted) return
      const signs = this.#redis.multi()
      for (const key of [names.session(this.id), names.manager])
        signs.set(key, this.id, 'PX', 3 * heartbeatMs)
      for (const key of this.#keys) signs.pexpire(key, keysLiveMs)
      await signs.exec().catch(() => {})
      await expireLater(this.#redis, this.#jobs).catch(() => {})
    }
  }

  nextPhase(): number {
    return this.#phases++
  }

  /** Add a job; `listener` hears of it until it is removed. */
  async add(data: JobData, listener: (event: JobEvent) => void): Promise<string> {
    const jobId = newVersion()
    this.#listeners.set(jobId, listener)
    this.#jobs.add(jobId)
    await this.#queue.add(data.work.type, data, { jobId })
    return jobId
  }

  /** The return value of a job that is completed. */
  async outcome<A>(jobId: string): Promise<Outcome<A> | undefined> {
    const job = await this.#queue.getJob(jobId)
    return (job?.returnvalue ?? undefined) as Outcome<A> | undefined
  }

  /** State of a job, in the words of BullMQ. */
  stateOf(jobId: string): Promise<string> {
    return this.#queue.getJobState(jobId)
  }

  /** Forget a job, and remove it unless a worker is at it. Returns whether it is gone. */
  async remove(jobId: string): Promise<boolean> {
    this.#listeners.delete(jobId)
    const job = await this.#queue.getJob(jobId)
    const isGone =
      job === undefined ||
      (await job.remove().then(
        () => true,
        () => false,
      ))
    if (isGone) this.#jobs.delete(jobId)
    return isGone
  }

  /** Set the time at which a phase begins: soon, when all workers have heard of it. */
  async begin(phase: number): Promise<void> {
    const at = (await timeOf(this.#redis)) + beginsAfterMs
    await this.#put(names.start(this.id, phase), String(at))
  }

  async stop(phase: number): Promise<void> {
    await this.#put(names.stop(this.id, phase), '1')
  }

  /** Put the objects of values where workers find them. */
  async putObjects(size: number, count: number, bytes: Uint8Array): Promise<void> {
    await this.#put(
      names.objects(this.id, size, count),
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    )
  }

  async #put(key: string, value: string | Buffer): Promise<void> {
    this.#keys.add(key)
    await this.#redis.set(key, value, 'PX', keysLiveMs)
  }

  async close(): Promise<void> {
    this.#end.abort()
    await settledOrLost(this.#redis, this.#left())
    for (const client of this.#clients) client.disconnect()
  }

  async #left(): Promise<void> {
    await this.#beating
    // Keys that cannot be removed now go with the next manager or worker, or expire.
    await this.#clean().catch(() => {})
    await Promise.allSettled([this.#checker.close(true), this.#events.close(), this.#queue.close()])
  }

  /** A worker that is still at a job hears that its manager is gone, and ends it. */
  async #clean(): Promise<void> {
    const isManager = (await this.#redis.get(names.manager)) === this.id
    const keys = [names.session(this.id), ...(isManager ? [names.manager] : []), ...this.#keys]
    await this.#redis.del(...keys)
    const { heartbeatMs } = this.options
    for (let turn = 0; turn < 50 && this.#jobs.size > 0; turn++) {
      for (const jobId of this.#jobs) await this.remove(jobId)
      if (this.#jobs.size > 0) await pause(heartbeatMs / 10)
    }
    await removeLeftovers(this.#queue, this.#redis)
  }
}

/** Workers ask ten times a second whether a phase may begin. */
const beginsAfterMs = 500
