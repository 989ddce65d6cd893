import { expect, test } from 'vitest'
import { textReport } from '../../../src/page/text-report.ts'
import { run } from '../../../src/studies/run/run.ts'
import { SteadyWatch } from '../../../src/studies/run/watches.ts'
import { drive } from './drive.ts'

const second = (operations: number, p50Ms: number | null) => {
  const all = { operations, errors: 0, p50Ms, p99Ms: p50Ms, maxMs: p50Ms }
  return { atMs: 0, lengthMs: 1_000, all, kinds: [] }
}

test('a warm-up ends when the throughput of five seconds is alike', () => {
  const { signal } = new AbortController()
  const watch = new SteadyWatch(signal, false)
  for (const operations of [100, 200, 400, 800, 1_600, 1_610, 1_600, 1_605]) watch.saw(second(operations, 1))
  expect([watch.signal.aborted, watch.isSteady]).toEqual([false, false])
  watch.saw(second(1_600, 1))
  expect([watch.signal.aborted, watch.isSteady]).toEqual([true, true])
  watch.close()
})

test('at a rate the median time counts, and seconds without one do not', () => {
  const watch = new SteadyWatch(new AbortController().signal, true)
  for (const p50Ms of [9, 5, 3, null, 2, 2, 2, 2]) watch.saw(second(1_000, p50Ms))
  expect(watch.signal.aborted).toBe(false)
  for (const p50Ms of [2, 2]) watch.saw(second(1_000, p50Ms))
  expect(watch.signal.aborted).toBe(true)
})

test('an interrupted run ends its warm-up', () => {
  const given = new AbortController()
  const watch = new SteadyWatch(given.signal, false)
  given.abort(new Error('Ctrl-C'))
  expect(watch.signal.reason).toBe(given.signal.reason)
  const late = new SteadyWatch(given.signal, false)
  expect(late.signal.aborted).toBe(true)
})

test('a warm-up that never gets steady is told', async () => {
  // So few operations end it within its first second.
  const result = await drive({ warmup: 'steady', operations: 40, runs: 2 })
  expect(result.targets[0]!.isSteady).toBe(false)
  expect(textReport(run, result).replace(/\n +/g, ' ')).toContain(
    'here: the warm-up ended before its seconds were alike (it lasts 60 s at most)',
  )
  expect((await drive({ operations: 40 })).targets[0]!.isSteady).toBe(null)
})
