import type { Bytes, Store } from '@unikv/core'
import { expect, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { VirtualClock } from '../../../src/loop/clock.ts'
import { textReport } from '../../../src/page/text-report.ts'
import { consistency } from '../../../src/studies/consistency/consistency.ts'
import { ConsistencyRunner } from '../../../src/studies/consistency/consistency-runner.ts'
import type { ConsistencyResult, StaleResult } from '../../../src/studies/consistency/result.ts'
import { runStudy } from '../../../src/study/run-study.ts'
import { configOf } from '../config-of.ts'
import { planted } from './planted.ts'

/** The reads at the eventual level of a store, in virtual time. */
async function found(
  store: (now: () => number) => Store<Bytes>,
  fields: object = {},
): Promise<{ readonly stale: StaleResult; readonly result: ConsistencyResult }> {
  const clock = new VirtualClock()
  const config = await configOf(consistency, {
    only: ['stale'],
    runs: 1,
    probes: 200,
    probeRate: 100,
    ...fields,
  })
  const result = await runStudy(
    { ...consistency, runner: async (context) => new ConsistencyRunner(context, clock) },
    {
      config: config,
      stores: [{ name: 'here', url: 'memory:', store: store(() => clock.now()) }],
      data: synthetic({ seed: 1 }),
    },
  )
  return { result, stale: result.stale.find(({ pair }) => pair === 'eventual') as StaleResult }
}

test.each([5, 1_000])('a planted window of %d ms is found within 10 %%', async (windowMs) => {
  const { stale } = await found((now) => planted((ms) => ms < windowMs, now))
  for (const quantile of [stale.seen.median, stale.seen.p95, stale.seen.max]) {
    expect(quantile?.isCensored).toBe(false)
    expect(Math.abs((quantile?.ms ?? 0) / windowMs - 1)).toBeLessThan(0.1)
  }
  for (const { delayMs, share } of stale.readers[0]?.points ?? [])
    expect(share).toBe(delayMs < windowMs ? 1 : 0)
})

test('two windows are told apart: most writes are seen after 5 ms, one in four after 200 ms', async () => {
  // Writes begin every ten milliseconds.
  const { stale } = await found((now) =>
    planted((ms) => ms < (Math.round((now() - ms) / 10) % 4 === 0 ? 200 : 5), now),
  )
  expect(Math.abs((stale.seen.median?.ms ?? 0) / 5 - 1)).toBeLessThan(0.1)
  expect(Math.abs((stale.seen.p95?.ms ?? 0) / 200 - 1)).toBeLessThan(0.1)
  const shares = new Map(stale.readers[0]?.points.map((point) => [point.delayMs, point]))
  expect(shares.get(2)?.share).toBe(1)
  const { share, low, high } = shares.get(50) as { share: number; low: number; high: number }
  expect(share).toBe(0.25)
  // Wilson's interval of 50 in 200, by hand: (0.25 + 1.92/200 ± 1.96 · √(0.1875/200 + 0.9604/40000)) / (1 + 3.8416/200).
  expect(low).toBeCloseTo(0.1951, 3)
  expect(high).toBeCloseTo(0.3143, 3)
  expect(shares.get(200)).toMatchObject({ share: 0, low: 0, high: 3 / 200 })
})

test('a write that is never seen is later than the horizon at every quantile, and no share is certain', async () => {
  const { stale, result } = await found((now) => planted(() => true, now))
  expect([stale.writes, stale.seen.unseen, stale.seen.atOnce]).toEqual([200, 200, 0])
  for (const quantile of [stale.seen.median, stale.seen.p95, stale.seen.max])
    expect(quantile).toEqual({ ms: 2_000, isCensored: true })
  expect(stale.readers[0]?.wentBack).toBeNull()
  for (const { share, low, high } of stale.readers[0]?.points ?? [])
    expect([share, low, high]).toEqual([1, 1 - 3 / 200, 1])
  expect(textReport(consistency, result).replace(/\s+/g, ' ')).toContain(
    '200 writes were not seen by all readers within 2.00 s.',
  )
})
