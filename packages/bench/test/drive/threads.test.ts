import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { synthetic } from '../../src/data/open-data.ts'
import type { DriveHooks, DriveRequest } from '../../src/drive/driver.ts'
import { threadFile } from '../../src/drive/threads/messages.ts'
import { threadDriver } from '../../src/drive/threads/thread-driver.ts'
import { seriesInterval } from '../../src/loop/interval-sample.ts'
import { workloadSchema } from '../../src/operations/workload.ts'

const workload = workloadSchema.parse({
  name: 'test',
  records: 100,
  mix: { read: 8, insert: 2 },
  keys: { kind: 'uniform' },
  keyNames: { order: 'ordered' },
  values: { kind: 'constant', length: 10 },
})

const request: DriveRequest = {
  workload,
  loop: { concurrency: 3, rate: null, arrivals: 'constant', maxInFlight: 1_024, whenFull: 'queue' },
  run: 1,
  durationMs: 3_600_000,
  operations: 10_001,
  expectedInserts: 100,
}

const hooks = (): DriveHooks => ({ signal: new AbortController().signal })

function opened(options: { readonly [name: string]: unknown } = {}, url = 'null:', seed = 42) {
  return threadDriver({
    keys: keyValue(memory()),
    records: { count: workload.records },
    data: synthetic({ seed: 1 }),
    seed,
    threads: 3,
    opener: { module: new URL('./fixtures/null-store.mjs', import.meta.url).href, url, options },
    namespace: ['a', 'b'],
    timeoutMs: 60_000,
  })
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-drive-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** What each thread did in one run. */
async function streams(name: string, seed: number): Promise<readonly string[][]> {
  const log = await mkdtemp(join(folder, name))
  const driver = await opened({ log }, 'null:', seed)
  await driver.load({ workload, first: 0, count: workload.records }, hooks())
  await driver.drive({ ...request, operations: 2_001 }, hooks())
  await driver.close()
  const texts = await Promise.all([0, 1, 2].map((index) => readFile(join(log, `${index}.txt`), 'utf8')))
  // the first one looks for the sign that the store is shared
  return texts.map((text) => text.trim().split('\n').slice(1))
}

describe('a driver of three threads', () => {
  let driver: Awaited<ReturnType<typeof opened>>
  beforeAll(async () => {
    driver = await opened()
  })
  afterAll(() => driver.close())

  test('adds what they counted: operations, buckets and seconds', async () => {
    const { kinds, series, operations, errors, schedule } = await driver.drive(request, hooks())
    expect([operations, errors, schedule]).toEqual([10_001, 0, null])
    expect(kinds.map(({ name }) => name)).toEqual(['read', 'insert', 'read'])
    const counted = kinds.flatMap(({ service }) => service.buckets.map(([, count]) => count))
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(10_001)
    const seconds = series.map((interval) => seriesInterval(interval).all.operations)
    expect(seconds.reduce((sum, count) => sum + count, 0)).toBe(10_001)
  })

  test('keeps the schedule of one: a rate is divided, and its parts are added', async () => {
    const loop = { ...request.loop, rate: 1_000 }
    const { schedule, operations } = await driver.drive({ ...request, loop, operations: 301 }, hooks())
    expect(operations).toBe(301)
    expect(schedule).toMatchObject({ arrivals: 301, dropped: 0 })
    expect(schedule!.targetRate).toBeCloseTo(1_000, 6)
  })

  test('answers, if it is interrupted, with what was measured until then', async () => {
    const abort = new AbortController()
    const sample = await driver.drive(
      { ...request, operations: null },
      { signal: abort.signal, onInterval: () => abort.abort() },
    )
    expect(sample.operations).toBeGreaterThan(0)
  })

  test('does the same for the same seed; each thread has a stream of its own, and inserts every third key', async () => {
    const [one, again, other] = await Promise.all([streams('a', 42), streams('b', 42), streams('c', 43)])
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
    const reads = one.map((lines) => lines.filter((line) => line.startsWith('read')).slice(0, 50))
    expect(new Set(reads.map((lines) => lines.join())).size).toBe(3)
    const numbers = one.map((lines) =>
      lines.filter((line) => line.startsWith('write')).map((line) => Number(/user(\d+)$/.exec(line)?.[1])),
    )
    const loaded = numbers.flatMap((own) => own.filter((number) => number < 100)).toSorted((a, b) => a - b)
    expect(loaded).toEqual(Array.from({ length: 100 }, (_, index) => index))
    for (const [index, own] of numbers.entries()) {
      const inserted = own.filter((number) => number >= 100)
      expect(inserted).toEqual(inserted.map((_, turn) => 100 + 3 * turn + index))
    }
  })

  test('refuses a store that each thread would have for itself', async () => {
    await expect(opened({}, 'memory:')).rejects.toThrow(
      'memory keeps its records in the thread that opened it',
    )
  })

  test.each([
    ['exit', 'Thread 2 of 3 died (exit code 7)'],
    ['throw', 'Thread 2 of 3 died (uncaught: the driver broke)'],
  ])('ends when one dies (%s), and says which', async (how, message) => {
    const dying = await opened({ dies: 100, how })
    const endless = { ...request, operations: null }
    await expect(dying.drive(endless, hooks())).rejects.toThrow(message)
    await expect(dying.drive(endless, hooks())).rejects.toThrow(message)
    await dying.close()
  })
})

test('the program of a thread is asked for beside this code, and missed in a bundle', () => {
  expect(threadFile().pathname).toMatch(/\/bench\/dist\/drive\/threads\/thread\.js$/)
  for (const here of [null, 'file:///srv/bundle.mjs'])
    expect(() => threadFile(here)).toThrow('this program is a bundle without them. Use one thread')
})
