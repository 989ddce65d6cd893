import { histogramOf } from '@unikv/core/histogram'
import { expect, test } from 'vitest'
import { mergedSample } from '../src/drive/merged.ts'
import { sampleOf } from '../src/drive/planned.ts'
import { constantRate } from '../src/loop/arrivals.ts'
import { VirtualClock } from '../src/loop/clock.ts'
import { closedLoop } from '../src/loop/closed-loop.ts'
import { openLoop } from '../src/loop/open-loop.ts'
import { operations } from '../src/loop/operations.ts'

/** The kinds of a loop that only reads. */
const read = [{ name: 'read', outcome: null }]

test.each(['closed', 'open'] as const)(
  'times of failures are kept apart from those of successes: %s',
  async (loop) => {
    const clock = new VirtualClock()
    const work = operations('read', async (sequence) => {
      await clock.sleep(sequence % 2 === 0 ? 1 : 20)
      if (sequence % 2 === 1) throw new Error('late')
    })
    const limits = { operations: 10, clock }
    const driving =
      loop === 'closed' ? closedLoop(work, limits) : openLoop(work, { ...limits, arrivals: constantRate(10) })
    const sample = sampleOf(await driving, read, [])
    const [kind] = sample.kinds
    expect(histogramOf(kind!.service).max / 1e6).toBeCloseTo(1, 1)
    expect(kind!.failed?.count).toBe(5)
    expect(histogramOf(kind!.failed!).min / 1e6).toBeGreaterThan(19)
    const both = mergedSample(['a', 'b'].map((name) => ({ name, sample })))
    expect(both.kinds[0]?.failed?.count).toBe(10)
  },
)
