import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, longTest, someOf } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inProcess, main, type Outcome, root, unikv } from './command-line.ts'

/** A short job of the auction, with bids of several sessions for the same items. */
const job = (url: string, cluster: object, measure: object = { duration: '700ms', runs: 2 }): string =>
  JSON.stringify({
    database: { url },
    cluster,
    workload: {
      session: { benchmark: 'auction', sessions: 12, numOfThreads: 6, parameters: { USER_NUM: 6 } },
      measure: { rampUp: '100ms', ...measure },
    },
  })

/** Users who change items of their own, so that nothing conflicts wherever each of them is. */
const personal = (url: string, cluster: object): string =>
  JSON.stringify({
    name: 'auction',
    database: { url, transactions: 'records' },
    cluster,
    workload: {
      session: {
        benchmark: 'micro',
        model: 'item-put',
        numOfThreads: 6,
        users: { partition: true, count: 12 },
        parameters: { USER_NUM: 12, ITEMS_PER_USER: 4 },
      },
      measure: { rampUp: '0s', duration: '400ms', runs: 1 },
    },
  })

/** Run a job that does not end, until something happens in its first run. */
async function unlessEnded(
  name: string,
  text: string,
  act: (signal: (name: NodeJS.Signals) => void) => void,
): Promise<Outcome> {
  await writeFile(join(root, `${name}.json`), text)
  let isDone = false
  return unikv(['bench', 'session', `${name}.json`, '--out', name, '--progress', 'json'], (told, signal) => {
    if (isDone || !told.includes('"run":1,"interval"')) return
    isDone = true
    act(signal)
  })
}

async function bench(name: string, text: string): ReturnType<typeof inProcess> {
  await writeFile(join(root, `${name}.json`), text)
  return inProcess(['bench', 'session', `${name}.json`, '--out', name, '--quiet'])
}

async function resultOf(name: string): Promise<ResultOf<'session'>> {
  return JSON.parse(await readFile(join(root, name, 'auction/result.json'), 'utf8')) as ResultOf<'session'>
}

/** Counts of all that shared a run must fit each other, and the data all that they did. */
function expectWhole({ jobs, targets }: ResultOf<'session'>): void {
  const [only] = jobs
  expect(only?.problems).toEqual([])
  expect(only?.runs).toHaveLength(2)
  for (const [at, { sessions, transactions, waits }] of (only?.runs ?? []).entries()) {
    const { operations = 0, kinds = [] } = targets[0]?.runs[at] ?? {}
    expect(kinds.reduce((sum, { service, errors }) => sum + service.count + errors, 0)).toBe(operations)
    // Each interaction waited for a caller once, and a session that is cut off at the end has one more at most.
    expect(waits.count).toBe(operations)
    expect(operations - sessions.interactions).toBeGreaterThanOrEqual(0)
    // Places whose session ends with the run begin no other one.
    expect(sessions.begun).toBeGreaterThanOrEqual(12)
    expect(sessions.begun - sessions.ended).toBeGreaterThanOrEqual(0)
    expect(sessions.begun - sessions.ended).toBeLessThanOrEqual(12)
    expect(transactions['committed']).toBeGreaterThan(0)
  }
}

describeWithOwn('redis', () => {
  let server: Awaited<ReturnType<typeof ownServer>>
  beforeAll(async () => {
    server = await ownServer('redis')
  })
  afterAll(() => server.stop())

  async function expectEmpty(): Promise<void> {
    const redis = new Redis(server.url)
    expect(await redis.dbsize()).toBe(0)
    redis.disconnect()
  }

  test('threads share the sessions, and their counts and data fit', async () => {
    const { code, err } = await bench('in-threads', job(server.url, { threads: 2 }))
    expect(code, err).toBe(0)
    expectWhole(await resultOf('in-threads'))
    const page = await readFile(join(root, 'in-threads/auction/report.html'), 'utf8')
    expect(page).toContain('12 at the same time, 6 callers, in 2 threads')
    await expectEmpty()
  })

  test('workers elsewhere share them, too', async () => {
    const queue = `${server.url}/1`
    const workers = ['one', 'two'].map((name) =>
      worker(['--queue', queue, '--store', `redis=${server.url}`, '--name', name, '--once']),
    )
    const { code, err } = await bench('on-workers', job(server.url, { workers: 2, queue }))
    expect([0, 4], err).toContain(code)
    expectWhole(await resultOf('on-workers'))
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0])
    await expectEmpty()
  })

  test.each(someOf(1, [2, 1]))('no two of %d threads have the same user', async (threads) => {
    const name = `own-${threads}`
    const { code, err } = await bench(name, personal(server.url, { threads }))
    expect(code, err).toBe(0)
    const { jobs, targets } = await resultOf(name)
    const { transactions, sessions } = jobs[0]?.runs[0] ?? {}
    expect([transactions?.['conflicts'], sessions?.begun]).toEqual([0, 6])
    expect(transactions?.['committed']).toBe(targets[0]?.runs[0]?.operations)
    await expectEmpty()
  })

  longTest('Ctrl-C in a run ends the threads, and their data is removed', async () => {
    const endless = job(server.url, { threads: 3 }, { duration: '1h', runs: 1 })
    const { code, err } = await unlessEnded('stopped', endless, (signal) => signal('SIGINT'))
    expect(code, err).toBe(130)
    expect(err).toContain('Interrupted before a run had ended; no results were written.')
    await expectEmpty()
  })

  longTest('a worker that is killed in a run makes the result invalid, which names it', async () => {
    const queue = `${server.url}/1`
    const [one, two] = ['one', 'two'].map((name) => worker(['--queue', queue, '--name', name, '--once']))
    const endless = job(server.url, { workers: 2, queue }, { duration: '1h', runs: 2 })
    const { code, err } = await unlessEnded('lost', endless, () => two?.child.kill('SIGKILL'))
    expect(code, err).toBe(4)
    expect(err).toMatch(/run 1: worker two was silent for three heartbeats, so its share \d of 2 is missing/)
    expect(await one?.ended).toBe(0)
    await expectEmpty()
  })

  test.each([
    [{ threads: 7 }, '7 threads need at least 7 callers, one for each; got 6'],
    [{ workers: 2 }, 'cluster.workers: they need a `queue`'],
  ])('%o is refused before anything is started', async (cluster, said) => {
    const { code, err } = await bench('refused', job(server.url, cluster))
    expect(code).toBe(2)
    expect(err).toContain(said)
  })

  test('a store that threads cannot share is refused before data is made', async () => {
    const { code, err } = await bench('unshared', job('memory:', { threads: 2 }))
    expect(code).not.toBe(0)
    expect(err).toContain('several threads cannot drive it')
  })
})

function worker(args: readonly string[]): {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
} {
  const child = spawn(process.execPath, [main, 'bench', 'worker', ...args], { cwd: root, stdio: 'ignore' })
  return { child, ended: new Promise((resolve) => child.on('close', resolve)) }
}
