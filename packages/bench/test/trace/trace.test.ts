import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VirtualClock } from '../../src/loop/clock.ts'
import { closedLoop } from '../../src/loop/closed-loop.ts'
import { openLoop } from '../../src/loop/open-loop.ts'
import { loadTrace, type Trace } from '../../src/trace/trace.ts'
import { TraceOperations, traceArrivals } from '../../src/trace/trace-operations.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'unikv-trace-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function loaded(lines: string, options?: Parameters<typeof loadTrace>[1]): Promise<Trace> {
  const path = join(directory, 'some.csv')
  await writeFile(path, lines)
  return loadTrace(path, options)
}

const lines =
  'time,op,key,size\n0,get,a,\n0,get,b,20\n1,set,c,30\n1,get,c,\n1,set,a,10\n3,delete,b,\n4,get,b,\n'

/** A store with the records at the start of a trace. */
function started({ keys, start }: Trace, fillsMisses = false) {
  const store = memory()
  const all = keyValue(store)
  const target = {
    kv: all.namespace('records'),
    counters: all.namespace('counters'),
    valueOf: (number: number, size: number) => new Uint8Array(size).fill(number),
    fillsMisses,
  }
  const ready = Promise.all(
    start.map(({ key, size }) => target.kv.set(keys[key] as string, target.valueOf(key, size))),
  )
  return { ...target, ready }
}

test('a trace knows what must be there before it begins, and the size of each value', async () => {
  const trace = await loaded(lines)
  expect(trace.keys).toEqual(['a', 'b', 'c'])
  expect(trace.start).toEqual([
    { key: 0, size: 10 },
    { key: 1, size: 20 },
  ])
  expect(trace.sizes).toEqual([10, 20, 30, 30, 10, 20, 20])
  expect(trace.atMs).toEqual([0, 0, 1_000, 1_000, 1_000, 3_000, 4_000])
  const short = await loaded('a\nb\na\n', { limit: 2, defaultSize: 7 })
  expect(short).toMatchObject({ operations: ['read', 'read'], sizes: [7, 7], atMs: undefined })
  await expect(loaded('a\n', { limit: 0 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

test('requests of one time are spread over the resolution of the clock, and speed divides all times', async () => {
  const { atMs } = await loaded(lines)
  const all = (speed: number): number[] => {
    const arrivals = traceArrivals(atMs as number[], speed)
    return Array.from({ length: 8 }, () => Math.round(arrivals.next()))
  }
  expect(all(1)).toEqual([0, 500, 1_000, 1_333, 1_667, 3_000, 4_000, Number.POSITIVE_INFINITY])
  expect(all(10)).toEqual([0, 50, 100, 133, 167, 300, 400, Number.POSITIVE_INFINITY])
  expect(traceArrivals(atMs as number[], 10).rate).toBe(14)
  expect(traceArrivals([0, 0], 1).rate).toBe(0)
  for (const speed of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => traceArrivals([0], speed)).toThrow(RangeError)
})

test('a replay does what the trace says, at its times', async () => {
  const trace = await loaded(lines)
  const { ready, ...target } = started(trace)
  await ready
  const clock = new VirtualClock()
  const result = await openLoop(new TraceOperations(trace, target), {
    arrivals: traceArrivals(trace.atMs as number[]),
    operations: trace.operations.length,
    whenFull: 'queue',
    clock,
  })
  const counts = Object.fromEntries(result.kinds.map(({ name, service }) => [name, service.count]))
  expect(counts).toEqual({ delete: 1, read: 3, update: 2, 'read (miss)': 1 })
  expect(result.elapsedMs).toBe(4_000)
  const found = await target.kv.getMany(['a', 'b', 'c'])
  expect(found.map((value) => value?.length)).toEqual([10, undefined, 30])
})

test('a read that found nothing can fill the store, as the user of a cache does', async () => {
  const trace = await loaded('a\t5\nb\t6\na\t5\n')
  const { ready: _, ...target } = started({ ...trace, start: [] }, true)
  const result = await closedLoop(new TraceOperations(trace, target), { workers: 1, operations: 3 })
  expect(result.kinds.map(({ name, service }) => [name, service.count])).toEqual([
    ['read', 1],
    ['read (miss)', 2],
  ])
  expect((await target.kv.get('b'))?.length).toBe(6)
})

test('counters of a trace stand apart from its records', async () => {
  const trace = await loaded('time,op,key,size\n0,incr,n,\n0,incr,n,\n1,set,n,3\n')
  const { ready: _, ...target } = started(trace)
  expect(trace.start).toEqual([])
  const { errors } = await closedLoop(new TraceOperations(trace, target), { workers: 1, operations: 3 })
  expect(errors).toBe(0)
  expect(await target.counters.increment('n')).toBe(3)
  expect((await target.kv.get('n'))?.length).toBe(3)
})
