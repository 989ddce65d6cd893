import { QueueEvents } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Report } from '../queue/job.ts'
import { prefix, queueName } from '../queue/names.ts'

/** An event of a job, as the manager hears it. */
export type JobEvent =
  | { readonly type: 'report'; readonly report: Report }
  /** There is a return value. */
  | { readonly type: 'completed' }
  /** The worker was silent for three heartbeats, and the job waits for another one. */
  | { readonly type: 'stalled' }
  | { readonly type: 'failed'; readonly reason: string }

/** Hears of one job. */
export type JobListener = (event: JobEvent) => void

/** The events of the queue, for those who listen to their jobs. */
export class JobEvents {
  readonly #events: QueueEvents
  readonly #listeners = new Map<string, JobListener>()

  /**
   * @param connection a connection of its own, since it blocks
   * @param since time of the server in milliseconds: earlier events are of earlier managers
   */
  constructor(connection: Redis, since: number) {
    const lastEventId = `${Math.floor(since)}-0`
    this.#events = new QueueEvents(queueName, { connection, prefix, lastEventId })
    this.#events.on('error', () => {}) // commands tell of errors, too
    this.#listen()
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

  add(jobId: string, listener: JobListener): void {
    this.#listeners.set(jobId, listener)
  }

  remove(jobId: string): void {
    this.#listeners.delete(jobId)
  }

  async ready(): Promise<void> {
    await this.#events.waitUntilReady()
  }

  close(): Promise<void> {
    return this.#events.close()
  }
}
