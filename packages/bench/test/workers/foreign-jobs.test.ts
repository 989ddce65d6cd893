import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownCallers } from '../../src/drive/clients.ts'
import { openCrew } from '../../src/workers/crew/open-crew.ts'
import { ownVersion } from '../../src/workers/queue/keys.ts'
import { contents, type WorkerProcess, workers } from './worker-process.ts'

/** A job of a manager that is not there. */
const job = {
  version: ownVersion(),
  session: 'nobody',
  phase: 0,
  share: { index: 0, of: 1 },
  store: {
    name: 's',
    url: 's:',
    shown: 's:',
    options: {},
    namespace: ['a'],
    timeoutMs: 1_000,
    plan: ownCallers,
  },
  records: { first: 0, count: 1 },
  seed: 1,
  inserted: 0,
  program: null,
  work: { type: 'open' },
}

describeWithOwn('redis', () => {
  let server: Awaited<ReturnType<typeof ownServer>>
  let redis: Redis
  let queue: Queue
  let worker: WorkerProcess | undefined
  beforeAll(async () => {
    server = await ownServer('redis')
    redis = new Redis(server.url, { maxRetriesPerRequest: null })
    queue = new Queue('bench', { connection: redis, prefix: '{unikv}' })
  })
  afterAll(async () => {
    worker?.kill('SIGKILL')
    await queue.close()
    redis.disconnect()
    await server.stop()
  })

  test('a manager removes the jobs of one that was killed', async () => {
    await queue.add('open', job)
    const crew = await openCrew({ queue: server.url })
    await crew.close()
    const left = [...(await contents(server.url)).keys()]
    expect(left.filter((key) => !key.endsWith(':stalled-check'))).toEqual([])
  })

  test('a manager refuses a queue that another one uses', async () => {
    const crew = await openCrew({ queue: server.url, heartbeatMs: 200 })
    await expect(openCrew({ queue: server.url, heartbeatMs: 200 })).rejects.toThrow(
      `Another run uses the workers of ${server.url}`,
    )
    await crew.close()
    await (await openCrew({ queue: server.url })).close()
  })

  test.each([
    ['of another version', { ...job, version: '0.0.1' }, /^Worker a is unikv \S+, the manager is 0\.0\.1\./],
    ['of another program', { hello: 'world' }, /the manager is something else\. Install the same version/],
    ['that is damaged', { ...job, share: 'all' }, /^Worker a cannot read the job: .*share/s],
  ])('a worker refuses a job %s', async (_, data, message) => {
    // Its session lives, so the worker leaves the job where it is.
    await redis.set('{unikv}:session:nobody', '1')
    await redis.set('{unikv}:session:undefined', '1')
    worker ??= (await workers(server.url, ['a']))[0]
    const { id } = await queue.add('open', data)
    await until(async () => (await queue.getJobState(id!)) === 'completed')
    const { returnvalue } = (await queue.getJob(id!))!
    expect(returnvalue).toMatchObject({ type: 'failed', error: { code: 'INVALID_CONFIG' } })
    expect(returnvalue.error.message).toMatch(message)
  })

  test('a worker ends the job of a manager that is gone, and removes it', async () => {
    await redis.del('{unikv}:session:nobody', '{unikv}:session:undefined')
    worker ??= (await workers(server.url, ['a']))[0]
    await queue.add('open', job)
    await until(async () => (await queue.getJobs(['wait', 'active', 'completed'])).length === 0)
  })
})

/** Wait, however long a busy machine takes. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50))
}
