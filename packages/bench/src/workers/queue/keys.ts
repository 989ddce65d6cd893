import { createRequire } from 'node:module'
import type { Job, Queue } from 'bullmq'
import type { Redis } from 'ioredis'

/** Everything of workers in Redis begins with this; the braces keep it on one node of a cluster. */
export const prefix = '{unikv}'

/** Name of the queue of BullMQ in which all managers put their jobs. */
export const queueName = 'bench'

/** Plain keys beside the queue; all expire. */
export const names = {
  /** Is there while the manager of the session lives. */
  session: (session: string): string => `${prefix}:session:${session}`,
  /** Holds the session of the only manager. */
  manager: `${prefix}:manager` as string,
  /** When a phase begins: milliseconds of the clock of Redis. */
  start: (session: string, phase: number): string => `${prefix}:start:${session}:${phase}`,
  /** Is there when a phase must end early. */
  stop: (session: string, phase: number): string => `${prefix}:stop:${session}:${phase}`,
  /** The objects that values are cut from. */
  objects: (session: string, size: number, count: number): string =>
    `${prefix}:objects:${session}:${size}:${count}`,
} as const

/** Version of this package: manager and workers must have the same. */
export function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string }
  return version
}

/** Parts of an empty queue of BullMQ that stay in Redis. */
const parts = ['meta', 'id', 'events', 'marker', 'stalled', 'pc', 'completed', 'failed']
/** Expires by itself, soon. */
const checkMark = 'stalled-check'
/** Where jobs may be. */
const lists = ['wait', 'active', 'prioritized', 'delayed', 'waiting-children']

/** Without managers and workers everything goes after so long. */
const expiresMs = 10 * 60_000

/** Let the queue and these jobs expire later, while a manager or worker uses them. */
export async function expireLater(redis: Redis, jobs: Iterable<string> = []): Promise<void> {
  const expiries = redis.pipeline()
  for (const name of [...parts, ...lists, ...jobs]) expiries.pexpire(key(name), expiresMs)
  await expiries.exec()
}

/** Remove the jobs of managers that are not there any more; then the queue itself, if it holds no job. */
export async function removeLeftovers(queue: Queue, redis: Redis): Promise<void> {
  const jobs = await queue.getJobs(['wait', 'active', 'completed', 'failed', 'delayed'])
  for (const job of jobs) if (await isAbandoned(job, redis)) await job.remove().catch(() => {})
  await removeEmptyQueue(redis)
}

async function isAbandoned(job: Job | undefined, redis: Redis): Promise<boolean> {
  const { session } = (job?.data ?? {}) as { readonly session?: unknown }
  return job !== undefined && (await redis.exists(names.session(String(session)))) === 0
}

/** Watched, so that a job that another manager adds meanwhile stays. */
async function removeEmptyQueue(redis: Redis): Promise<void> {
  const client = redis.duplicate({ lazyConnect: false })
  client.on('error', () => {})
  try {
    const held = [...lists, 'completed', 'failed'].map(key)
    await client.watch(...held)
    if ((await client.exists(...held)) > 0) return
    await client
      .multi()
      .del(...[...parts, checkMark].map(key))
      .exec()
  } finally {
    client.disconnect()
  }
}

function key(name: string): string {
  return `${prefix}:${queueName}:${name}`
}
