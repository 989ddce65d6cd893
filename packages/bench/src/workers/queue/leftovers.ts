import type { Job, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { names, prefix, queueName } from './names.ts'

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
