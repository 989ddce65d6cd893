import { keyValue } from '@unikv/core'
import { histogramOf } from '@unikv/core/histogram'
import { memory } from '@unikv/core/memory'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, someOf } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { synthetic } from '../../src/data/open-data.ts'
import type { DriveHooks, DriveRequest, DriveSample } from '../../src/drive/driver.ts'
import { localDriver } from '../../src/drive/local-driver.ts'
import { runSampleOf } from '../../src/driven/runs.ts'
import { VirtualClock } from '../../src/loop/clock.ts'
import { workloadSchema } from '../../src/operations/workload.ts'
import { openCrew } from '../../src/workers/crew/open-crew.ts'
import { virtualStore } from './fixtures/virtual-store.mjs'
import { type WorkerProcess, workers } from './worker-process.ts'

const workload = workloadSchema.parse({
  name: 'test',
  records: 1_000,
  mix: { read: 1 },
  keys: { kind: 'uniform' },
  keyNames: { order: 'ordered' },
  values: { kind: 'constant', length: 10 },
})

const loop = {
  concurrency: 12,
  rate: null,
  arrivals: 'constant',
  maxInFlight: 1_024,
  whenFull: 'queue',
} as const

const request: DriveRequest = {
  workload,
  loop,
  run: 1,
  durationMs: 3_600_000,
  operations: 12_001,
  expectedInserts: 0,
}
/** Its end is another one's. */
const endless: DriveRequest = { ...request, operations: null, loop: { ...loop, rate: 200 } }

const hooks = (): DriveHooks => ({ signal: new AbortController().signal })
const records = { first: 0, count: workload.records }
const data = synthetic({ seed: 1 })

let server: Awaited<ReturnType<typeof ownServer>>

/** A driver of workers over the virtual store. */
async function opened(count: number) {
  const notices: string[] = []
  let told = (_: string): void => {}
  const onNotice = (text: string): void => {
    notices.push(text)
    told(text)
  }
  const crew = await openCrew({ queue: server.url, onNotice })
  const driver = await crew.driver({
    keys: keyValue(memory()),
    records,
    data,
    seed: 42,
    workers: count,
    name: 'virtual',
    shownUrl: 'virtual:',
    opener: { module: '', url: 'virtual:', options: {} },
    namespace: ['a'],
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  })
  const noticed = (words: RegExp): Promise<string> =>
    new Promise((resolve) => {
      told = (text) => {
        if (words.test(text)) resolve(text)
      }
    })
  return { crew, driver, notices, noticed }
}

/** Percentiles of all operations, and how many of them fell into each second. */
function figures(sample: DriveSample) {
  const [kind] = sample.kinds
  const of = (times: NonNullable<typeof kind>['service']): readonly number[] =>
    [50, 90, 95, 99, 99.9].map((percent) => histogramOf(times).percentile(percent))
  return {
    operations: sample.operations,
    service: of(kind!.service),
    response: kind!.response === null ? null : of(kind!.response),
    seconds: runSampleOf(1, sample).series.reduce((sum, { all }) => sum + all.operations, 0),
    invalid: sample.invalid,
  }
}

describeWithOwn('redis', () => {
  beforeAll(async () => {
    server = await ownServer('redis')
  })
  afterAll(() => server.stop())

  const loops = [
    ['a rate', { ...loop, rate: 2_000, arrivals: 'poisson' as const }],
    ['callers that wait', loop],
  ] as const
  test.each(someOf(1, loops))('two workers report the percentiles of one process (%s)', async (_, plan) => {
    const clock = new VirtualClock()
    const asked = { ...request, loop: plan }
    const one = localDriver({
      keys: keyValue(virtualStore(clock)),
      records,
      data,
      seed: 42,
      timeoutMs: 60_000,
      clock,
    })
    const expected = figures(await one.drive(asked, hooks()))
    const all = await workers(server.url, ['a', 'b'], 'virtual')
    const { crew, driver } = await opened(2)
    await driver.load({ workload, first: 0, count: 1_000 }, hooks())
    expect(figures(await driver.drive(asked, hooks()))).toEqual(expected)
    await crew.close()
    for (const worker of all) worker.kill('SIGINT')
    await Promise.all(all.map(({ ended }) => ended))
  })

  test('a worker that is killed before a run leaves its share to a spare one', async () => {
    const all = await workers(server.url, ['a', 'b'])
    const { crew, driver, noticed } = await opened(2)
    const spares: WorkerProcess[] = []
    const sample = await driver.drive(request, {
      ...hooks(),
      start: async () => {
        spares.push(...(await workers(server.url, ['spare'])))
        all[0]!.kill('SIGKILL')
        await noticed(
          /^Worker a was silent for three heartbeats: its share \d of 2 goes to another worker\.$/,
        )
      },
    })
    expect([sample.operations, sample.invalid]).toEqual([12_001, []])
    await crew.close()
    for (const worker of [...all.slice(1), ...spares]) worker.kill('SIGINT')
    await Promise.all([...all, ...spares].map(({ ended }) => ended))
  })

  test('a worker that is interrupted in a run makes it invalid; the rest is kept', async () => {
    const all = await workers(server.url, ['a', 'b'])
    const { crew, driver } = await opened(2)
    const sample = await driver.drive(endless, { ...hooks(), onInterval: () => all[0]!.kill('SIGINT') })
    const lost = sample.invalid.filter((one) => one.reason === 'worker-lost')
    expect(lost.map(({ message }) => message)).toEqual([
      expect.stringContaining('worker a was stopped, so the rest of its share'),
    ])
    expect(sample.operations).toBeGreaterThan(0)
    await crew.close()
    all[1]!.kill('SIGINT')
    await Promise.all(all.map(({ ended }) => ended))
  })
})
