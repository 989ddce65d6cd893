import { expect, test } from 'vitest'
import { mergedSample } from '../src/drive/merged.ts'
import { sampleOf } from '../src/drive/planned.ts'
import { constantRate } from '../src/loop/arrivals.ts'
import { VirtualClock } from '../src/loop/clock.ts'
import { closedLoop } from '../src/loop/closed-loop.ts'
import type { IntervalSample } from '../src/loop/interval-sample.ts'
import { openLoop } from '../src/loop/open-loop.ts'
import { operations } from '../src/loop/operations.ts'
import { Series } from '../src/loop/series.ts'

/** The kinds of a loop that only reads. */
const read = [{ name: 'read', outcome: null }]

/** A run with two operations a second, and how many intervals were told. */
async function driven(seconds: number) {
  let told = 0
  const series = new Series(3, () => void told++)
  const clock = new VirtualClock()
  const limits = { durationMs: seconds * 1_000, clock, observer: series }
  const result = await openLoop(
    operations('read', () => undefined),
    { arrivals: constantRate(2), ...limits },
  )
  return { sample: sampleOf(result, read, series.end(result.elapsedMs)), told }
}

const shape = ({ sample }: Awaited<ReturnType<typeof driven>>) => {
  const { series } = sample
  const operations = series.reduce((sum, { kinds }) => sum + kinds[0]!.times.count, 0)
  return [series.length, series[0]!.lengthMs, operations]
}

test('a long run keeps as many intervals as a short one, and loses no operation; each second is told', async () => {
  expect(shape(await driven(1_700))).toEqual([1_700, 1_000, 3_400])
  const long = await driven(4_000)
  expect(shape(long)).toEqual([1_000, 4_000, 8_000])
  expect(long.told).toBe(4_000)
})

test('drivers of a long run are added, though one of them kept longer intervals', async () => {
  const [short, long] = [await driven(1_790), await driven(1_810)]
  const parts = [short, long].map(({ sample }) => ({ name: '', sample }))
  const { series } = mergedSample(parts)
  const starts = series.map(({ atMs }) => atMs)
  expect(starts).toEqual(Array.from({ length: 905 }, (_, index) => index * 2_000))
  expect(series.reduce((sum, { kinds }) => sum + kinds[0]!.times.count, 0)).toBe(2 * 3_600)
  expect(series[0]!.kinds[0]!.times.count).toBe(8)
})

test('operations that end after the time of a run are in no interval', async () => {
  const clock = new VirtualClock()
  const told: IntervalSample[] = []
  const series = new Series(3, (interval) => void told.push(interval), 2_000)
  const work = operations('read', (sequence) => clock.sleep(sequence === 3 ? 5_300 : 400))
  const result = await closedLoop(work, { durationMs: 2_000, workers: 2, clock, observer: series })
  const found = series.end(result.countedMs)
  expect(result.kinds[0]?.late).toBe(1)
  expect(found.map(({ atMs, lengthMs }) => [atMs, lengthMs])).toEqual([
    [0, 1_000],
    [1_000, 1_000],
  ])
  expect(told).toEqual(found)
})
