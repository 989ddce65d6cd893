import { expect, test } from 'vitest'
import type { DriveSample } from '../../src/drive/driver.ts'
import { mergedSample } from '../../src/drive/merged.ts'
import { sampleOf } from '../../src/drive/planned.ts'
import { findings } from '../../src/driven/report/findings.ts'
import { drivenBodyShape } from '../../src/driven/result.ts'
import { runSampleOf } from '../../src/driven/runs.ts'
import { drivenBody } from '../../src/driven/target-results.ts'
import { parseThreshold } from '../../src/driven/thresholds/threshold.ts'
import { constantRate } from '../../src/loop/arrivals.ts'
import { VirtualClock } from '../../src/loop/clock.ts'
import { closedLoop } from '../../src/loop/closed-loop.ts'
import { openLoop } from '../../src/loop/open-loop.ts'
import { operations } from '../../src/loop/operations.ts'

/** The kinds of a loop that only reads. */
const read = [{ name: 'read', outcome: null }]

/** Two callers for a second: one does an operation each 10 ms, the first operation of the other takes `firstMs`. */
async function sampled(firstMs: number, limits: object = { durationMs: 1_000 }): Promise<DriveSample> {
  const clock = new VirtualClock()
  const work = operations('read', (sequence) => clock.sleep(sequence === 0 ? firstMs : 10))
  return sampleOf(await closedLoop(work, { ...limits, workers: 2, clock }), read, [])
}

function bodyOf(sample: DriveSample): ReturnType<typeof drivenBody> {
  const cell = { run: 1, point: 0, store: 'a', phase: null } as const
  const loaded = { keyLaw: '', lengthLaw: '', isSteady: null, load: { records: 0, elapsedMs: 0 } }
  const record = { cell, loaded, sample: runSampleOf(1, sample) }
  return drivenBody([{ name: 'a' }], [parseThreshold('rate < 99')], [record])
}

test('operations that end after the time of a run are in its latencies, and not in its rate', async () => {
  const { targets, thresholds } = bodyOf(await sampled(4_000))
  const [target] = targets
  const [read] = target?.operations ?? []
  expect([target?.rate.mean, read?.rate.mean, thresholds[0]?.found]).toEqual([100, 100, 100])
  expect([read?.count, read?.late, read?.service.maxMs]).toEqual([101, 1, 4_000])
  expect(findings({ startedAt: '', targets, thresholds })).toEqual([
    'a: 1 of 101 operations ended up to 3.00 s after the time of a run. Such operations are in the times, and not in the rate.',
  ])
  const ofFirst = bodyOf(await sampled(1_020)).targets
  expect(ofFirst[0]?.operations[0]?.late).toBe(1)
  expect(findings({ startedAt: '', targets: ofFirst, thresholds: [] })).toEqual([])
})

test('the rate of a run that its operations end is of the time until the last end', async () => {
  const sample = await sampled(400, { operations: 21 })
  expect([sample.countedMs, sample.elapsedMs, sample.kinds[0]?.late]).toEqual([400, 400, 0])
  expect(bodyOf(sample).targets[0]?.rate.mean).toBe(52.5)
})

test('the rate of a run is of its whole time, also if nothing was due in the end', async () => {
  const clock = new VirtualClock()
  const work = {
    ...operations('read', () => clock.sleep(10)),
    ready: async (ended: AbortSignal): Promise<boolean> => {
      if (clock.now() < 400) return true
      await new Promise((resolve) => ended.addEventListener('abort', resolve))
      return false
    },
  }
  const sample = sampleOf(await closedLoop(work, { durationMs: 1_000, clock }), read, [])
  expect([sample.elapsedMs, sample.countedMs]).toEqual([400, 1_000])
  expect(bodyOf(sample).targets[0]?.rate.mean).toBe(40)
})

test.each([
  [1, { durationMs: 2_000 }, 1],
  [0.5, { durationMs: 4_000 }, 0.5],
  [10, { durationMs: 1_000 }, 10],
  [10, { durationMs: 60_000, operations: 10 }, 10],
])('at a rate of %d a second, a run with %o has a throughput of %d', async (rate, limits, found) => {
  const clock = new VirtualClock()
  const work = operations('read', () => clock.sleep(1))
  const result = await openLoop(work, { ...limits, arrivals: constantRate(rate), clock })
  expect(bodyOf(sampleOf(result, read, [])).targets[0]?.rate.mean).toBe(found)
})

test('several drivers add what was late, and the time is that of the longest', async () => {
  const parts = [await sampled(4_000), await sampled(2_000), await sampled(30)]
  const merged = mergedSample(parts.map((sample, index) => ({ name: `thread ${index + 1}`, sample })))
  expect([merged.countedMs, merged.elapsedMs, merged.kinds[0]?.late]).toEqual([1_000, 4_000, 2])
  const sum = parts.reduce((all, sample) => all + (bodyOf(sample).targets[0]?.rate.mean ?? 0), 0)
  expect(bodyOf(merged).targets[0]?.rate.mean).toBe(sum)
})

test('an earlier result without the time of its runs is read with that until the last end', async () => {
  const { targets } = bodyOf(await sampled(4_000))
  const text = JSON.stringify(targets).replace(/"countedMs":[^,]*,|"late":[^,]*,/g, '')
  const [target] = drivenBodyShape.targets.parse(JSON.parse(text))
  expect(target?.runs[0]).toMatchObject({ elapsedMs: 4_000, countedMs: 4_000 })
})
