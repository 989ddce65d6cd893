import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { type Bytes, keyValue, type Store, supports } from '@unikv/core'
import { open } from '@unikv/stores'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, longTest } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandsOfGuide, inProcess, main, root, unikv } from './command-line.ts'

const small = ['--preset', 'c', '--records', '300', '--warmup', '0', '--runs', '2', '--progress', 'json']
const short = [...small, '--operations', '300']

interface Worker {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  readonly said: () => string
}

/** Start `unikv bench worker`, when it waits for runs. */
async function worker(args: readonly string[]): Promise<Worker> {
  const child = spawn(process.execPath, [main, 'bench', 'worker', ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (part: Buffer) => {
      text += part.toString()
      if (text.includes('waits for runs')) resolve()
    })
    void ended.then(() => reject(new Error(`the worker ended: ${text}`)))
  })
  return { child, ended, said: () => text }
}

async function result(folder = 'unikv-bench-run'): Promise<ResultOf<'run'>> {
  return JSON.parse(await readFile(join(root, folder, 'result.json'), 'utf8')) as ResultOf<'run'>
}

/** All commands that a Redis gets. ioredis fails when it gets the first of them before it knows that it watches. */
async function watchCommands(url: string): Promise<{ lines(): readonly string[] } & AsyncDisposable> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  let text = ''
  socket.on('data', (part) => void (text += String(part)))
  socket.write('MONITOR\r\n')
  await once(socket, 'data')
  return {
    lines: () => text.replaceAll('\\"', '"').split('\r\n'),
    [Symbol.asyncDispose]: async () => void socket.destroy(),
  }
}

/** Records of benchmarks that are left in a store. */
async function recordsLeft(url: string): Promise<number> {
  const store: Store<Bytes> = open(url, { dataset: 'bench' })
  await using kv = keyValue(store)
  const bench = kv.namespace('unikv.bench')
  if (!supports(kv, 'scan') || !supports(bench, 'scan')) throw new Error('cannot scan')
  return (await kv.count()) + (await bench.count())
}

describeWithOwn('redis', () => {
  let server: Awaited<ReturnType<typeof ownServer>>
  /** They wait for the runs of most tests, one after the other. */
  let waiting: readonly Worker[] = []
  /** Two commands of the guide: a worker, and a run that it shares. */
  let [ofWorker, ofRun]: readonly string[][] = []
  beforeAll(async () => {
    server = await ownServer('redis')
    const commands = (await commandsOfGuide('bench-run')).filter((command) => command.includes('--queue'))
    // A number of operations ends the runs, however slow the machine is.
    const here: Readonly<Record<string, string>> = { 'redis://127.0.0.1': server.url, '5s': '1h' }
    ;[ofWorker, ofRun] = commands.map((command) => command.map((one) => here[one] ?? one))
    waiting = await Promise.all(['one', 'two'].map((name) => worker([...ofWorker!.slice(2), '--name', name])))
  })
  afterAll(async () => {
    await stopped(waiting)
    await server.stop()
  })

  const stopped = (workers: readonly Worker[]): Promise<unknown> => {
    for (const { child } of workers) child.kill('SIGINT')
    return Promise.all(workers.map(({ ended }) => ended))
  }

  const bench = (...args: readonly string[]): string[] => ['bench', 'run', '--queue', server.url, ...args]

  test('the commands of the guide share a run among two workers', async () => {
    const { code, err } = await inProcess([...ofRun!, ...small.slice(2), '--operations', '301'])
    expect([0, 4], err).toContain(code)
    const { config, targets } = await result()
    expect(config.workers).toBe(2)
    expect(targets[0]!.runs.map(({ operations }) => operations)).toEqual([301, 301])
    expect(await recordsLeft(server.url)).toBe(0)
  })

  longTest('workers load a table, and drive it', async () => {
    const shared = ['--queue', server.url, '--workers', '2', '--store', server.url, '--table', 'shared']
    const workload = ['--preset', 'c', '--records', '501']
    const loaded = await inProcess(['bench', 'load', ...shared, ...workload])
    expect([loaded.code, loaded.err]).toEqual([0, expect.not.stringContaining('unikv:')])
    const length = ['--warmup', '0', '--runs', '1', '--operations', '999', '--duration', '1h']
    const { code, err } = await inProcess(['bench', 'run', ...shared, ...workload, ...length])
    expect([0, 4], err).toContain(code)
    const [sample] = (await result()).targets[0]!.runs
    expect([sample!.operations, sample!.errors]).toEqual([999, 0])
    // Misses stand apart: there are none.
    const found = sample!.kinds.map(({ outcome, service }) => [outcome, service.count])
    expect(found).toEqual([
      [null, 999],
      ['miss', 0],
    ])
    const deleted = await inProcess(['bench', 'load', ...shared.slice(4), '--delete'])
    expect(deleted.code, deleted.err).toBe(0)
    expect(await recordsLeft(server.url)).toBe(0)
  })

  test('a worker that is killed in a run makes the result invalid, which names it', async () => {
    const third = await worker(['--queue', server.url, '--name', 'three'])
    const { code, err } = await inProcess(
      bench('--workers', '3', '--store', server.url, ...small, '--duration', '1h', '--rate', '150'),
      (text) => {
        if (text.includes('"interval"')) third.child.kill('SIGKILL')
      },
    )
    expect(code, err).toBe(4)
    expect(err).toMatch(
      /redis, run 1: worker three was silent for three heartbeats, so its share \d of 3 is missing\./,
    )
    const { status, targets } = await result()
    expect([status, targets[0]!.runs.length]).toEqual(['invalid', 1])
    expect(targets[0]!.runs[0]!.operations).toBeGreaterThan(0)
    expect(await recordsLeft(server.url)).toBe(0)
  })

  longTest('Ctrl-C ends the runs of the workers, and leaves neither records nor jobs', async () => {
    let isTold = false
    const run = bench('--workers', '2', '--store', server.url, ...small, '--duration', '1h')
    const { code, err } = await unikv(run, (text, signal) => {
      if (!isTold && text.includes('"interval"')) signal('SIGINT') // a second one ends the process at once
      isTold ||= text.includes('"interval"')
    })
    expect(code, err).toBe(130)
    expect((await result()).targets[0]!.runs[0]!.operations).toBeGreaterThan(0)
    expect(await recordsLeft(server.url)).toBe(0)
    const redis = new Redis(server.url)
    const left = async (): Promise<readonly string[]> =>
      (await redis.keys('{unikv}*')).filter((key) => !key.endsWith(':stalled-check'))
    // Workers remove what their last job left when they hear that the manager is gone.
    await expect.poll(left, { timeout: 60_000 }).toEqual([])
    redis.disconnect()
  })

  describe('a password', () => {
    const secret = 'not-to-be-seen'
    let locked: string
    beforeAll(async () => {
      const redis = new Redis(server.url)
      await redis.call('ACL', 'SETUSER', 'bench', 'on', `>${secret}`, '~*', '&*', '+@all')
      redis.disconnect()
      locked = server.url.replace('redis://', `redis://bench:${secret}@`)
    })

    test('does not travel: a worker that was not told it refuses the run', async () => {
      const { code, err } = await inProcess(bench('--workers', '1', '--store', locked, ...short))
      expect(code).toBe(2)
      expect(err).toMatch(/Worker (one|two) does not know the URL of the store redis/)
      expect(err).toContain('Start the worker with --store redis=URL')
      expect(err).not.toContain(secret)
    })

    test('that both sides know is in no job and no message', async () => {
      await using monitor = await watchCommands(server.url)
      // Another database has a queue of its own.
      const place = ['--queue', `${server.url}/2`, '--store', `main=${locked}`]
      const told = await worker([...place, '--name', 'told'])
      const { code, err } = await inProcess(['bench', 'run', ...place, '--workers', '1', ...short])
      await stopped([told])
      expect(told.said()).not.toContain(secret)
      expect([0, 4], err).toContain(code)
      expect(monitor.lines().some((one) => one.includes('"type":"drive"'))).toBe(true)
      // Redis itself leaves passwords of AUTH out of what it shows.
      expect(monitor.lines().filter((one) => one.includes(secret))).toEqual([])
    })
  })

  test('a store that each process has for itself is refused', async () => {
    const { code, err } = await inProcess(bench('--workers', '1', '--store', 'memory:', ...short))
    expect(code).toBe(2)
    expect(err).toMatch(
      /Worker (one|two) does not find the records of this run in the store memory \(memory:\): it opened another place/,
    )
  })

  test.each([
    [['--threads', '2', '--workers', '2'], '--threads and --workers divide a run in two ways'],
    [['--workers', '3', '--concurrency', '2'], '3 workers need at least 3 callers, one for each; got 2'],
    [['--workers', '3', '--operations', '2'], '3 workers need at least 3 operations'],
  ])('%j is refused before a store is opened', async (args, message) => {
    const { code, err } = await inProcess(bench('--store', 'memory:', ...small, ...args))
    expect(err).toContain(message)
    expect(code).toBe(2)
  })

  longTest('a queue that is lost in a run ends it; its records go, and workers can be stopped', async () => {
    const own = await ownServer('redis')
    const workers = await Promise.all(
      ['one', 'two'].map((name) => worker(['--queue', own.url, '--name', name])),
    )
    const place = `file:${join(root, 'shared')}`
    const run = ['bench', 'run', '--queue', own.url, '--workers', '2', '--store', place]
    const { code, err } = await unikv([...run, ...small, '--duration', '1h'], (text) => {
      if (text.includes('"interval"')) void own.kill()
    })
    expect(err).toMatch(/The queue at redis:\S+ was lost: /)
    expect(code).toBe(1)
    expect(await recordsLeft(place)).toBe(0)
    await stopped(workers)
    await own.stop()
  })

  test('too few workers end a run, which says how many came and how to start others', async () => {
    const { code, err } = await inProcess(
      bench('--workers', '3', '--wait', '1s', '--store', server.url, ...short),
    )
    expect(code).toBe(1)
    expect(err).toMatch(
      /Only 2 of 3 workers came within \d+ s\. Start each with: npx unikv bench worker --queue redis:/,
    )
    expect(await recordsLeft(server.url)).toBe(0)
  })
})

describe('is refused before anything is opened', () => {
  const run = ['bench', 'run', '--store', 'memory:', ...short]
  test.each([
    [[...run, '--workers', '2'], '--workers needs --queue'],
    [[...run, '--queue', 'redis://127.0.0.1'], '--queue needs --workers'],
    [[...run, '--wait', '1m'], '--wait needs --workers'],
    [[...run, '--queue', 'pg://u:p@h', '--workers', '2'], "'pg://h' is not the address of a queue"],
    [['bench', 'worker', '--queue', 'http://u:p@h'], "'http://h' is not the address of a queue"],
    [['bench', 'worker', '--queue', 'redis://h/x?y=z'], "'redis://h/x?…' is not the address of a queue"],
    [['bench', 'worker'], "required option '--queue <url>' not specified"],
    [['bench', 'worker', '--queue', 'redis://h', '--name', 'a b'], "'a b' cannot name a worker"],
    [['bench', 'worker', '--queue', 'redis://h', '--store', 'x'], "'x' is not a store URL"],
    [['bench', 'worker', '--queue', 'redis://h', '--idle', 'long'], "'long' is not"],
  ])('%j', async (args, message) => {
    const { code, err } = await inProcess(args)
    expect(err).toContain(message)
    expect(code).toBe(2)
  })
})

describe('a queue that cannot be used is told at once', () => {
  test('when nothing listens there', async () => {
    const { code, err } = await inProcess(['bench', 'worker', '--queue', 'redis://u:p@127.0.0.1:1'])
    expect(err).toMatch(
      /^unikv: The queue at redis:\/\/127\.0\.0\.1:1 could not be reached: .*Is Redis running there\?/,
    )
    expect(code).toBe(1)
  })

  test('when something else than Redis answers', async () => {
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const { code, err } = await inProcess(['bench', 'worker', '--queue', `redis://127.0.0.1:${port}`])
    expect(err).toMatch(
      /^unikv: The queue at redis:\/\/127\.0\.0\.1:\d+ (did not answer like Redis|could not be reached): /,
    )
    expect(code).toBe(1)
    server.close()
  })
})

afterAll(() => rm(join(root, 'unikv-bench-run'), { recursive: true, force: true }))
