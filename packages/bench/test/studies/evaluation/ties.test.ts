import { Histogram, histogramJson } from '@unikv/core/histogram'
import { describe, expect, test } from 'vitest'
import { averaged, latencyOf } from '../../../src/driven/target-results.ts'
import { parseThreshold } from '../../../src/driven/thresholds/threshold.ts'
import { fastRandom } from '../../../src/random/random.ts'
import type { EvaluationConfig } from '../../../src/studies/evaluation/config.ts'
import { highestRates } from '../../../src/studies/evaluation/curves.ts'
import { rankingOf } from '../../../src/studies/evaluation/ranking.ts'
import type { ScenarioResult } from '../../../src/studies/evaluation/result.ts'
import { scenarioResults } from '../../../src/studies/evaluation/scenarios.ts'
import type { Curve } from '../../../src/studies/sweep/config.ts'
import type { SweepRecord } from '../../../src/studies/sweep/curves.ts'

const random = fastRandom(11)
const noise = (deviation: number): number =>
  Math.exp(deviation * Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next()))
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

function configOf(names: readonly string[], scenarios: readonly object[] = []): EvaluationConfig {
  const candidates = names.map((name) => ({ name, state: 'measured' }))
  const sweep = { loads: [{ name: 'both', mix: { read: 1, update: 1 } }], workload: { module: null } }
  return { candidates, sweep, scenarios, runs: 3 } as unknown as EvaluationConfig
}

/** A curve over 1, 8 and 64 callers, whose runs scatter. */
function curveOf(store: string, deviation: number, factor = 1, runs = 3): Curve {
  const points = [1, 8, 64].map((value) => ({
    value,
    rate: averaged(times(runs, () => 1_000 * factor * noise(deviation))),
    operations: [],
    errors: 0,
  }))
  return { store, load: 'both', points, fit: null } as unknown as Curve
}

function isStrict(names: readonly string[], factor = 1): boolean {
  const curves = names.map((name, index) => curveOf(name, 0.3, index === 0 ? factor : 1))
  const ranking = rankingOf(configOf(names), curves, [], [])
  return ranking.some(({ places }) => (places?.[1] ?? 0) - (places?.[0] ?? 0) < names.length - 1)
}

describe('candidates that are alike', () => {
  test.each([[['a', 'b']], [['a', 'b', 'c', 'd']]])(
    'share all places in 19 of 20 evaluations: %j',
    (names) => {
      expect(times(200, () => isStrict(names)).filter(Boolean).length).toBeLessThanOrEqual(10)
    },
  )

  test('and one that is far faster is found', () => {
    expect(times(50, () => isStrict(['a', 'b'], 30)).filter(Boolean).length).toBeGreaterThanOrEqual(45)
  })

  test('do not gain by scatter: the highest rate is not too high', () => {
    const meanOf = (rates: readonly number[]): number =>
      rates.reduce((sum, rate) => sum + rate, 0) / rates.length
    const config = configOf(['a'])
    const found = times(400, () => meanOf(highestRates(config, curveOf('a', 0.3))))
    // noise of exp(0.3 z) has the mean exp(0.045)
    expect(meanOf(found) / (1_000 * Math.exp(0.045))).toBeGreaterThan(0.97)
    expect(meanOf(found) / (1_000 * Math.exp(0.045))).toBeLessThan(1.03)
  })
})

const scenario = {
  name: 'cart',
  measure: parseThreshold('read.p50 < 5ms'),
  load: 'both',
  callers: 8,
  weight: 1,
}

/** A candidate of which each run has reads of this median. */
function judged(medians: readonly number[], misses = 0): ScenarioResult {
  const kindsOf = (ms: number) => {
    const service = new Histogram()
    for (let count = 0; count < 200; count++) service.record(ms * 1e6)
    const missed = new Histogram()
    for (let count = 0; count < misses; count++) missed.record(1e6)
    const common = { name: 'read', errors: 0, errorCodes: {}, late: 0, response: null }
    return [
      { ...common, outcome: null, service: histogramJson(service) },
      { ...common, outcome: 'miss', service: histogramJson(missed) },
    ] as const
  }
  const runs = medians.map(kindsOf)
  const records = runs.map((kinds, index) => ({
    cell: { run: index + 1, store: 'a', load: { name: 'both' }, value: 8 },
    sample: { countedMs: 1_000, kinds, checks: null },
  })) as unknown as SweepRecord[]
  const latency = latencyOf(runs.map(([{ service }]) => service))
  const rate = averaged(medians.map(() => 200))
  const operations = [
    { name: 'read', outcome: null, count: 200 * medians.length, errors: 0, rate, service: latency },
    { name: 'read', outcome: 'miss', count: misses * medians.length, errors: 0, rate, service: latency },
  ]
  const points = [{ value: 8, rate, latency, operations, errors: 0 }]
  const curves = [{ store: 'a', load: 'both', points, fit: null }] as unknown as Curve[]
  return scenarioResults(configOf(['a'], [scenario]), curves, records)[0] as ScenarioResult
}

describe('a scenario', () => {
  test('holds, is missed, or is too close to tell, by the interval of its runs', () => {
    expect(judged([3, 3.1, 3.2])).toMatchObject({ holds: true, isClose: false })
    expect(judged([7, 7.1, 7.2])).toMatchObject({ holds: false, isClose: false })
    expect(judged([4, 4.9, 5.6])).toMatchObject({ holds: true, isClose: true })
    expect(judged([4.4, 5.1, 5.6])).toMatchObject({ holds: false, isClose: true })
  })

  test('of a single run has no interval', () => {
    expect(judged([4.9])).toEqual({
      scenario: 'cart',
      candidate: 'a',
      found: expect.any(Number),
      holds: true,
    })
  })

  test('is missed where reads find no record', () => {
    expect(judged([3, 3.1, 3.2], 400)).toMatchObject({ holds: false, missed: 2 / 3 })
  })

  test('that is close does not decide a place', () => {
    const names = ['a', 'b']
    const results: ScenarioResult[] = [
      { scenario: 'cart', candidate: 'a', found: 4.9, holds: true, isClose: true },
      { scenario: 'cart', candidate: 'b', found: 5.1, holds: false, isClose: true },
    ]
    const curves = names.map((name) => curveOf(name, 0.01))
    const places = (given: readonly ScenarioResult[]) =>
      rankingOf(configOf(names, [{ ...scenario, weight: 3 }]), curves, given, []).map((one) => one.places)
    expect(places(results)).toEqual([
      [1, 2],
      [1, 2],
    ])
    expect(places(results.map((one) => ({ ...one, isClose: false })))).toEqual([
      [1, 1],
      [2, 2],
    ])
  })
})
