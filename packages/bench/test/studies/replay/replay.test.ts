import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareResults } from '../../../src/compare/compare-results.ts'
import { synthetic } from '../../../src/data/open-data.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { markdownReport, textReport } from '../../../src/page/text-report.ts'
import type { ReplayResult } from '../../../src/studies/replay/config.ts'
import { replay } from '../../../src/studies/replay/replay.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import { runStudy } from '../../../src/study/run-study.ts'
import type { AnyResult, AnyStudy } from '../../../src/study/study.ts'
import { configOf } from '../config-of.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'unikv-replay-'))
})
afterAll(() => rm(directory, { recursive: true }))

const lines = [
  'time,op,key,size',
  '10,get,a,',
  '10,get,b,20',
  '10.05,set,c,30',
  '10.10,get,c,',
  '10.15,set,a,10',
  '10.20,delete,b,',
  '10.25,get,b,',
]

async function replayed(
  fields: object = {},
  store: Store<Bytes> = memory(),
  content: readonly string[] = lines,
  changed?: string,
): Promise<ReplayResult> {
  const trace = join(directory, 'trace.csv')
  await writeFile(trace, content.join('\n'))
  const config = await configOf(replay, { trace, ...fields })
  if (changed !== undefined) await writeFile(trace, changed)
  return runStudy(replay, {
    config,
    stores: [{ name: 'here', url: 'memory:', store }],
    data: synthetic({ seed: 1 }),
  })
}

const countsOf = ({ targets }: ReplayResult) =>
  targets[0]!.operations.map(({ name, outcome, count }) => [outcome ?? name, count])

test('a replay begins with the records that the trace expects, keeps its times, and leaves nothing', async () => {
  const store = memory()
  const result = await replayed({ runs: 2 }, store)
  expect(result.config.trace).toMatchObject({
    requests: 7,
    keys: 3,
    mix: { read: 4, update: 2, delete: 1 },
    sizes: [10, 30],
    startRecords: 2,
  })
  expect(countsOf(result)).toEqual([
    ['delete', 2],
    ['read', 6],
    ['update', 4],
    ['miss', 2],
  ])
  const [target] = result.targets
  expect(target!.load.records).toBe(2)
  expect(target!.runs.map(({ open }) => open?.arrivals)).toEqual([7, 7])
  for (const { elapsedMs } of target!.runs) expect(elapsedMs).toBeGreaterThanOrEqual(250)
  expect(store.native.size).toBe(0)
})

test('it can begin with nothing and fill misses, as fast as callers can', async () => {
  const fill = { speed: 'max', concurrency: 1, start: 'empty', onMiss: 'fill' }
  const result = await replayed(fill)
  expect(result.status).toBe('complete')
  expect(countsOf(result)).toEqual([
    ['delete', 1],
    ['read', 1],
    ['update', 2],
    ['miss', 3],
  ])
  expect(result.targets[0]!.load).toEqual({ records: 0, elapsedMs: 0 })
})

test('a result is read back, told in every form, and compared with one of the same requests only', async () => {
  const max = { speed: 'max', runs: 3 }
  const result = await replayed(max)
  expect(parseResult(replay, JSON.stringify(result))).toEqual(result)
  expect(textReport(replay, result)).toMatch(/trace\.csv: 7 requests, 57\.14 % read/)
  expect(markdownReport(replay, result)).toContain('read (miss)')
  expect([...resultFiles(replay, result).keys()]).toEqual(
    expect.arrayContaining(['report.html', 'result.json', 'here.hlog']),
  )
  const again = await replayed(max, memory(), [...lines.slice(0, 7), '10.30,get,b,'])
  const named = (other: ReplayResult) =>
    [result, other].map((one, i) => ({
      name: `r${i}`,
      study: replay as unknown as AnyStudy,
      result: one as unknown as AnyResult,
    }))
  expect(compareResults(named(await replayed(max)))).toHaveLength(1)
  expect(() => compareResults(named(again))).toThrow(/requests/)
})

test.each([
  [{ speed: 2 }, ['k1', 'k2'], /has no times/],
  [{ concurrency: 4 }, lines, /--concurrency is for --speed max/],
  [{ speed: 'max', maxInFlight: 4 }, lines, /--max-in-flight is for a speed/],
  [{}, [...lines, '11,frob,a,'], /Line 9 of the trace trace\.csv: 'frob' is not an operation/],
  [{ trace: '/no/such.csv' }, lines, /\/no\/such\.csv cannot be opened \(ENOENT\)/],
  [{ trace: undefined }, lines, /Name the file with the trace/],
])('what cannot be replayed is refused before anything is sent: %j', async (fields, content, message) => {
  const store = memory()
  await expect(replayed(fields, store, content)).rejects.toThrow(message)
  expect(store.native.size).toBe(0)
})

test('a store that lacks an operation of the trace, or room for its values, is refused', async () => {
  const counting = {
    ...memory(),
    capabilities: { ...memory().capabilities, increment: false },
  } as Store<Bytes>
  await expect(replayed({}, counting, ['time,op,key', '0,incr,a'])).rejects.toThrow(/it has no counters/)
  const small = { ...memory(), capabilities: { ...memory().capabilities, maxValueBytes: 29 } } as Store<Bytes>
  await expect(replayed({}, small)).rejects.toThrow(/values of 30 B, too large for here/)
})

test('a trace that changes before it is replayed is noticed', async () => {
  await expect(replayed({ speed: 'max' }, memory(), lines, 'time,key\n1,a\n')).rejects.toThrow(
    /has changed since/,
  )
})

test('records of others are left alone', async () => {
  const store = memory()
  await keyValue(store).set('a', Buffer.from('mine'))
  await expect(replayed({ speed: 'max' }, store)).rejects.toThrow(/holds records already/)
  await replayed({ speed: 'max', allowNonEmpty: true }, store)
  expect(Array.from(store.native.keys())).toEqual(['a'])
})
