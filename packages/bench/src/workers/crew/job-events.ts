import { QueueEvents } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Report } from '../queue/job.ts'
import { prefix, queueName } from '../queue/keys.ts'

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

/**
 * The events of the queue, for those who listen to their jobs.
 *
 * @param connection a connection of its own, since it blocks
 * @param since time of the server in milliseconds: earlier events are of earlier managers
 */
export function jobEvents(
  connection: Redis,
  since: number,
  listeners: ReadonlyMap<string, JobListener>,
): QueueEvents {
  const events = new QueueEvents(queueName, { connection, prefix, lastEventId: `${Math.floor(since)}-0` })
  const tell = (jobId: string, event: JobEvent): void => listeners.get(jobId)?.(event)
  events.on('error', () => {}) // commands tell of errors, too
  events.on('progress', ({ jobId, data }) => tell(jobId, { type: 'report', report: data as Report }))
  events.on('completed', ({ jobId }) => tell(jobId, { type: 'completed' }))
  events.on('stalled', ({ jobId }) => tell(jobId, { type: 'stalled' }))
  events.on('failed', ({ jobId, failedReason }) => tell(jobId, { type: 'failed', reason: failedReason }))
  return events
}
