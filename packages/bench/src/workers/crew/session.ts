import { newVersion } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import { Queue, type QueueEvents, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { JobData, Outcome } from '../queue/job.ts'
import { names, prefix, queueName, removeLeftovers } from '../queue/keys.ts'
import { connection, type QueueAddress, settledOrLost, timeOf } from '../queue/redis.ts'
import { type JobListener, jobEvents } from './job-events.ts'
import { SessionKeys } from './session-keys.ts'

/** The last events of the queue; the answers do not depend on them. */
const mostEvents = 500
/** A job returns to the queue whenever its worker is lost; the manager decides whether it may be done again. */
const anyNumber = 1_000_000

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
  readonly #listeners = new Map<string, JobListener>()
  readonly #checker: Worker
  /** Jobs that may still be in Redis. */
  readonly #jobs = new Set<string>()
  readonly #keys: SessionKeys
  #phases = 0

  private constructor(address: QueueAddress, options: SessionOptions, since: number) {
    this.address = address
    this.options = options
    const [redis, queue, events, checker] = [false, false, true, true].map((isBlocking) =>
      connection(address, isBlocking),
    ) as [Redis, Redis, Redis, Redis]
    this.#clients = [redis, queue, events, checker]
    this.#redis = redis
    const { heartbeatMs } = options
    this.#keys = new SessionKeys(redis, { session: this.id, heartbeatMs, jobs: this.#jobs })
    this.#events = jobEvents(events, since, this.#listeners)
    const streams = { events: { maxLen: mostEvents } }
    this.#queue = new Queue(queueName, { connection: queue, prefix, streams })
    const checks = { stalledInterval: heartbeatMs, maxStalledCount: anyNumber, autorun: false }
    this.#checker = new Worker(queueName, null, { connection: checker, prefix, ...checks })
    // Commands tell of errors, too.
    this.#queue.on('error', () => {})
    this.#checker.on('error', () => {})
  }

  /** @throws {StoreError} `UNAVAILABLE` if another manager is at work */
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
    await this.#keys.claim(this.address)
    await removeLeftovers(this.#queue, this.#redis)
    await Promise.all([this.#queue.waitUntilReady(), this.#events.waitUntilReady()])
    await this.#checker.startStalledCheckTimer()
  }

  nextPhase(): number {
    return this.#phases++
  }

  /** Add a job; `listener` hears of it until it is removed. */
  async add(data: JobData, listener: JobListener): Promise<string> {
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
    await this.#keys.put(names.start(this.id, phase), String(at))
  }

  async stop(phase: number): Promise<void> {
    await this.#keys.put(names.stop(this.id, phase), '1')
  }

  /** Put the objects of values where workers find them. */
  async putObjects(size: number, count: number, bytes: Uint8Array): Promise<void> {
    const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    await this.#keys.put(names.objects(this.id, size, count), value)
  }

  async close(): Promise<void> {
    const ended = this.#keys.end()
    await settledOrLost(this.#redis, this.#left(ended))
    for (const client of this.#clients) client.disconnect()
  }

  async #left(ended: Promise<void>): Promise<void> {
    await ended
    // Keys that cannot be removed now go with the next manager or worker, or expire.
    await this.#clean().catch(() => {})
    await Promise.allSettled([this.#checker.close(true), this.#events.close(), this.#queue.close()])
  }

  /** A worker that is still at a job hears that its manager is gone, and ends it. */
  async #clean(): Promise<void> {
    await this.#keys.remove()
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
