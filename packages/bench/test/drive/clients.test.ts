import { type Bytes, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { ownServer } from '@unikv/test-kit'
import { describeWith, describeWithOwn } from '@unikv/test-kit/vitest'
import type { Redis } from 'ioredis'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { synthetic } from '../../src/data/open-data.ts'
import type { ClientPlan } from '../../src/drive/clients.ts'
import type { DriveRequest, DriveSample } from '../../src/drive/driver.ts'
import { driverOf } from '../../src/drive/driver-of.ts'
import { reopening } from '../../src/drive/opened.ts'
import { runSampleOf } from '../../src/driven/runs.ts'
import { workloadSchema } from '../../src/operations/workload.ts'
import { resultFiles } from '../../src/page/result-files.ts'
import { textReport } from '../../src/page/text-report.ts'
import { clearNamespace } from '../../src/run/run-namespace.ts'
import type { StoreTarget } from '../../src/run/target.ts'
import { parseAxis } from '../../src/studies/sweep/axis.ts'
import { parseLoad } from '../../src/studies/sweep/loads.ts'
import { sweep } from '../../src/studies/sweep/sweep.ts'
import { parseResult } from '../../src/study/result-file.ts'
import { runStudy } from '../../src/study/run-study.ts'
import { configOf } from '../studies/config-of.ts'

const operations = 2_000
const callers = 64
/** Few keys, most of them hot: what could share an answer would. */
const workload = workloadSchema.parse({
  name: 'hot',
  records: 20,
  mix: { read: 95, update: 5 },
  keys: { kind: 'zipfian' },
  values: { kind: 'constant', length: 10 },
})
const loop = {
  concurrency: callers,
  rate: null,
  arrivals: 'constant',
  maxInFlight: 1_024,
  whenFull: 'queue',
} as const
const request: DriveRequest = {
  workload,
  loop,
  run: 1,
  durationMs: 60_000,
  operations,
  expectedInserts: 0,
}

interface Driven {
  readonly sample: DriveSample
  /** Operations of each kind that succeeded. */
  readonly counts: Readonly<Record<string, number>>
}

function target(store: Store<Bytes>, url: string): StoreTarget {
  const module = import.meta.resolve('@unikv/stores/lazy')
  return { name: 'a', url, store, opener: () => ({ module, url, options: { dataset: 'clients' } }) }
}

/** Load the store, then drive it by these clients; `between` is called when the records are there. */
async function driven(
  store: Store<Bytes>,
  url: string,
  clients: ClientPlan,
  between: () => Promise<unknown> = async () => {},
  after: () => Promise<unknown> = async () => {},
): Promise<Driven> {
  const path = ['clients', `${clients.merge} ${clients.connections}`]
  const keys = path.reduce((within, name) => within.namespace(name), keyValue(store))
  const signal = new AbortController().signal
  const driver = await driverOf({
    target: target(store, url),
    namespace: { keys, path },
    data: synthetic({ seed: 1 }),
    workload,
    seed: 42,
    timeoutMs: 30_000,
    threads: 1,
    clients,
    signal,
  })
  try {
    await driver.load({ workload, first: 0, count: workload.records }, { signal })
    await between()
    const sample = await driver.drive(request, { signal })
    await after()
    const counts = Object.fromEntries(
      sample.kinds
        .filter(({ outcome }) => outcome === null)
        .map(({ name, service }) => [name, service.count]),
    )
    return { sample, counts }
  } finally {
    await driver.close()
    await clearNamespace(keys)
  }
}

describeWithOwn('redis', () => {
  let server: Awaited<ReturnType<typeof ownServer>>
  let store: ReturnType<typeof redis>
  beforeAll(async () => {
    server = await ownServer('redis')
    store = redis({ url: server.url, dataset: 'clients' })
  })
  afterAll(async () => {
    await store.close()
    await server.stop()
  })

  const native = (): Redis => store.native as Redis

  /** Calls of each command since the statistics were reset. */
  async function commands(): Promise<Readonly<Record<string, number>>> {
    const text = String(await native().call('INFO', 'commandstats'))
    return Object.fromEntries(
      [...text.matchAll(/cmdstat_([\w|]+):calls=(\d+)/g)].map(([, name, calls]) => [
        name as string,
        Number(calls),
      ]),
    )
  }

  const reset = (): Promise<unknown> => native().call('CONFIG', 'RESETSTAT')

  test('64 callers of their own: each operation is a command, also on hot keys', async () => {
    const { sample, counts } = await driven(store, server.url, { merge: false, connections: 1 }, reset)
    const { get = 0, mget = 0 } = await commands()
    expect(get).toBe(counts['read'])
    expect(mget).toBe(0)
    expect((counts['read'] ?? 0) + (counts['update'] ?? 0)).toBe(operations)
    expect(sample.calls).toBe(operations)
  })

  test('merged calls are fewer than operations, and are counted', async () => {
    const { sample } = await driven(store, server.url, { merge: true, connections: 1 }, reset)
    expect(sample.calls).toBeLessThan(operations / 4)
    expect(sample.operations).toBe(operations)
  })

  /** The last command of each connection that the server lists. */
  async function lastCommands(): Promise<readonly string[]> {
    return [...String(await native().call('CLIENT', 'LIST')).matchAll(/ cmd=(\S+)/g)].map(([, name]) =>
      String(name),
    )
  }

  test('with a connection for each caller the server lists as many, all of them are used, and closed', async () => {
    let last: readonly string[] = []
    const each = { merge: false, connections: 'each' } as const
    const { sample } = await driven(store, server.url, each, reset, async () => {
      last = await lastCommands()
    })
    expect(sample.calls).toBe(operations)
    expect(sample.connections).toEqual([{ node: null, count: callers }])
    expect(last.length).toBe(callers)
    expect(
      last.filter((name) => !/^(client|info|hello|auth|select|ping)/.test(name)).length,
    ).toBeGreaterThanOrEqual(
      callers - 1, // the one that asks is among them
    )
    expect((await lastCommands()).length).toBe(1)
  })

  test('a sweep opens a connection for each caller; where the server refuses one, the point is missing', async () => {
    await native().call('CONFIG', 'SET', 'maxclients', '150')
    const config = await configOf(sweep, {
      over: parseAxis('concurrency=1,100,200'),
      load: [parseLoad('both:read=80,update=20')],
      connections: 'each',
      records: 20,
      operations: 500,
      duration: 60_000,
      warmup: 0,
      runs: 1,
      timeout: 2_000,
    })
    const listed: number[] = []
    const result = await runStudy(sweep, {
      config,
      stores: [{ ...target(store, server.url), name: 'redis' }],
      data: synthetic({ seed: 1 }),
      betweenCells: async () => void listed.push((await lastCommands()).length),
    })
    expect([result.status, result.error]).toEqual(['complete', null])
    expect(listed).toEqual([1, 100, 100])
    const [points] = result.curves.map((curve) => curve.points)
    expect(points?.map(({ rate }) => rate.mean > 0)).toEqual([true, true, false])
    expect(points?.at(-1)?.refused).toContain('no connection for each of 200 callers')
    const text = textReport(sweep, result).replace(/\s+/g, ' ')
    expect(text).toContain('at most: redis 100')
    expect(text).toMatch(/redis 200 missing/)
    expect(parseResult(sweep, String(resultFiles(sweep, result).get('result.json')))).toEqual(result)
  })
})

test('connections of each caller take the nodes of a cluster in turn, also those of several threads', () => {
  const nodes = ['a', 'b', 'c'].map((name) => ({ name, url: `memory:${name}` }))
  const opener = { module: '', url: 'memory:', options: {}, nodes }
  const parts = [0, 1].map((index) => reopening(opener, { index, of: 2 }))
  const taken = parts.flatMap((part) => [0, 1, 2].map((number) => part.nodeOf(number)))
  expect(taken).toEqual(['a', 'c', 'b', 'b', 'a', 'c'])
})

describeWith('postgres', (url) => {
  test('64 callers of their own: each operation is a statement', async () => {
    const store = postgres({ url, table: 'clients', prepare: true })
    const query = vi.spyOn(Client.prototype, 'query')
    try {
      const { sample } = await driven(store, url, { merge: false, connections: 1 }, async () =>
        query.mockClear(),
      )
      // the last statements remove the records
      const own = query.mock.calls.filter(([text]) => /^\s*(select|insert|update|with)/i.test(textOf(text)))
      expect(sample.calls).toBe(operations)
      expect(own.length).toBeGreaterThanOrEqual(operations)
    } finally {
      query.mockRestore()
      await store.close()
    }
  })
})

function textOf(query: unknown): string {
  return typeof query === 'string' ? query : ((query as { readonly text?: string }).text ?? '')
}

test('a store in the memory of its process has no further connections', async () => {
  await expect(driven(memory(), 'memory:', { merge: false, connections: 2 })).rejects.toThrow(
    'memory keeps its records in the process that opened it, so it has no further connections.',
  )
})

test('the work of the machine stands in the sample, and in a run', async () => {
  const { sample } = await driven(memory(), 'memory:', { merge: false, connections: 1 })
  const { machine, lostMs, calls } = runSampleOf(1, sample)
  expect(calls).toBe(operations)
  expect(lostMs).toBeGreaterThanOrEqual(0)
  expect(machine?.ownMs).toBeGreaterThan(0)
  expect(machine?.elapsedMs).toBeGreaterThanOrEqual(sample.elapsedMs)
})
