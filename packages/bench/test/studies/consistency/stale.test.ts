import { type Bytes, type Store, StoreError } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { VirtualClock } from '../../../src/loop/clock.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { textReport } from '../../../src/page/text-report.ts'
import { portableRandom } from '../../../src/random/random.ts'
import { consistency } from '../../../src/studies/consistency/consistency.ts'
import { ConsistencyRunner } from '../../../src/studies/consistency/consistency-runner.ts'
import type { ConsistencyResult, StaleResult } from '../../../src/studies/consistency/result.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import { runStudy } from '../../../src/study/run-study.ts'
import { configOf } from '../config-of.ts'
import { planted } from './planted.ts'

/** What the study finds on this store in virtual time. */
async function found(
  store: (now: () => number) => Store<Bytes>,
  fields: object = {},
): Promise<ConsistencyResult> {
  const clock = new VirtualClock()
  const config = await configOf(consistency, {
    only: ['stale'],
    runs: 1,
    probes: 100,
    probeRate: 100,
    ...fields,
  })
  return runStudy(
    { ...consistency, runner: async (context) => new ConsistencyRunner(context, clock) },
    {
      config: config,
      stores: [{ name: 'here', url: 'memory:', store: store(() => clock.now()) }],
      data: synthetic({ seed: 1 }),
    },
  )
}

function at(result: ConsistencyResult, pair: string): StaleResult {
  return result.stale.find((one) => one.pair === pair)!
}

/** The reads of the only reader after so many milliseconds. */
function point({ readers }: StaleResult, delayMs: number): StaleResult['readers'][number]['points'][number] {
  return readers[0]!.points.find((one) => one.delayMs === delayMs)!
}

describe('a planted window of 50 ms', () => {
  test('is found within 10 %, and only at the level that has it', async () => {
    const result = await found((now) => planted((ms) => ms < 50, now), {
      delays: [0, 10, 30, 45, 55, 100],
      probes: 200,
    })
    expect([result.status, result.error]).toEqual(['complete', null])
    const eventual = at(result, 'eventual')
    for (const quantile of [eventual.seen.median, eventual.seen.p95, eventual.seen.max]) {
      expect(quantile!.isCensored).toBe(false)
      expect(Math.abs(quantile!.ms - 50)).toBeLessThan(5)
    }
    expect([0, 10, 30, 45, 55, 100].map((delay) => point(eventual, delay).share)).toEqual([1, 1, 1, 1, 0, 0])
    const strong = at(result, 'strong')
    expect([strong.writes, strong.seen.atOnce, strong.seen.max]).toEqual([
      200,
      200,
      { ms: 0, isCensored: false },
    ])
    expect(parseResult(consistency, resultFiles(consistency, result).get('result.json')!)).toEqual(result)
    for (const line of textReport(consistency, result).split('\n'))
      expect(line.length).toBeLessThanOrEqual(80)
  })
})

test('a planted probability is within its interval, and readers go back in time', async () => {
  const random = portableRandom(42)
  const result = await found((now) => planted(() => random.next() < 0.2, now), {
    delays: [0, 40, 80],
    probes: 500,
  })
  const eventual = at(result, 'eventual')
  for (const { share, low, high, of } of eventual.readers[0]!.points) {
    expect(of).toBe(500)
    expect(Math.abs(share - 0.2)).toBeLessThan(0.06)
    expect([low < share, share < high, high - low < 0.08]).toEqual([true, true, true])
  }
  // Seen, then one of the next two is older.
  expect(eventual.readers[0]!.wentBack!.share).toBeGreaterThan(0.2)
  expect(at(result, 'strong').readers[0]!.wentBack).toMatchObject({ found: 0, of: 500 })
})

test('never stale in n reads is a bound of 3 / n, not zero', async () => {
  const result = await found((now) => planted(() => false, now), { delays: [0, 10] })
  expect(point(at(result, 'eventual'), 10)).toMatchObject({
    found: 0,
    of: 100,
    share: 0,
    low: 0,
    high: 3 / 100,
  })
  expect(textReport(consistency, result).replace(/\s+/g, ' ')).toContain(
    'no read was stale after 100 writes, so directly after a write fewer than 3 % are (95 % sure)',
  )
})

test('reads and writes that fail count as failed, neither as stale nor as seen', async () => {
  let writes = 0
  const result = await found(
    (now) => {
      const inner = planted(() => false, now)
      return {
        ...inner,
        read: (reads, call) => {
          if (call.consistency === 'eventual') throw new StoreError('UNAVAILABLE', 'no answer')
          return inner.read(reads, call)
        },
        write: (mutations, call) => {
          if (call.consistency === 'strong' && writes++ % 2 === 0)
            throw new StoreError('UNAVAILABLE', 'no place')
          return inner.write(mutations, call)
        },
      }
    },
    { delays: [0, 10], horizon: 30, probes: 20 },
  )
  const [strong, eventual] = [at(result, 'strong'), at(result, 'eventual')]
  expect([strong.writes, strong.writeErrors, strong.seen.atOnce]).toEqual([10, 10, 10])
  expect([eventual.writes, eventual.seen.unknown, eventual.seen.max]).toEqual([20, 20, null])
  expect(eventual.readers[0]!.errors).toBeGreaterThan(40)
  expect(eventual.firstError).toContain('no answer')
})
