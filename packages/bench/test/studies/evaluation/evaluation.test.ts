import { type Bytes, type Store, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { averaged } from '../../../src/driven/target-results.ts'
import { reportPage } from '../../../src/page/page.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { textReport } from '../../../src/page/text-report.ts'
import type { StoreTarget } from '../../../src/run/target.ts'
import { type Candidate, type EvaluationConfig, leastMs } from '../../../src/studies/evaluation/config.ts'
import { costsOf } from '../../../src/studies/evaluation/costs.ts'
import { configured } from '../../../src/studies/evaluation/document/configure.ts'
import {
  type EvaluationDocument,
  evaluationDocument,
} from '../../../src/studies/evaluation/document/document.ts'
import { evaluation } from '../../../src/studies/evaluation/evaluation.ts'
import { rankingOf } from '../../../src/studies/evaluation/ranking.ts'
import type { EvaluationResult } from '../../../src/studies/evaluation/result.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import { runStudy } from '../../../src/study/run-study.ts'
import { studyConfig } from '../../../src/study/study-config.ts'

const document = {
  name: 'A shop',
  question: 'Which store?',
  candidates: { fast: 'memory:', slow: 'memory:' },
  workload: { preset: 'b', records: 20 },
  loads: { 'read only': 'read=100', both: 'read=80,update=20' },
  sweep: { callers: [1, 2, 4], runs: 2, duration: '1h', warmup: '0s', operations: 60 },
  scenarios: {
    'cart opened': { measure: 'read.mean < 600s', load: 'both', callers: 2 },
    'no failure': { measure: 'errors <= 0%', load: 'both', callers: 4, weight: 2 },
  },
}

const noPrices = { currency: 'EUR', date: '2026-11-30', candidates: {} }

const candidates: readonly Candidate[] = [
  candidate('fast'),
  candidate('slow'),
  { ...candidate('old'), state: 'out', reasons: ['Transactions: any is required, Old has none.'] },
]

function candidate(name: string): Candidate {
  return { name, kind: name, title: name, state: 'measured', reasons: [], hasEventual: false }
}

/** A memory store of which these calls fail. Without more, those that load records: they write several at once. */
function failing(
  method: 'read' | 'write',
  isBroken: (items: readonly unknown[]) => boolean = ({ length }) => length > 1,
): Store<Bytes> {
  const store = memory()
  const own = store[method].bind(store) as (...args: unknown[]) => unknown
  const broken = (...args: unknown[]): unknown => {
    if (isBroken(args[0] as readonly unknown[])) throw new StoreError('UNAVAILABLE', 'the disk is gone')
    return own(...args)
  }
  return Object.assign(Object.create(store) as Store<Bytes>, { [method]: broken })
}

function target(name: string, store: Store<Bytes> = memory()): StoreTarget {
  return { name, url: 'memory:', store }
}

async function configOf(
  given: object = document,
  screened: readonly Candidate[] = candidates,
): Promise<EvaluationConfig> {
  const checked: EvaluationDocument = evaluationDocument(given, 'shop.yaml')
  return studyConfig(evaluation, (await configured(checked, 'shop.yaml', screened)).config)
}

async function evaluated(
  stores: readonly StoreTarget[],
  config?: EvaluationConfig,
): Promise<EvaluationResult> {
  return runStudy(evaluation, { config: config ?? (await configOf()), stores, data: synthetic({ seed: 1 }) })
}

function lineOf(text: string): string {
  return text.replace(/\s+/g, ' ')
}

describe('an evaluation', () => {
  test('judges scenarios for each candidate, ranks them, and tells why others are out', async () => {
    const result = await evaluated([target('fast'), target('slow')])
    expect([result.status, result.error]).toEqual(['complete', null])
    expect(result.scenarios.map(({ scenario, candidate: name, holds }) => [scenario, name, holds])).toEqual([
      ['cart opened', 'fast', true],
      ['cart opened', 'slow', true],
      ['no failure', 'fast', true],
      ['no failure', 'slow', true],
    ])
    expect(result.ranking.map(({ met, of }) => [met, of])).toEqual([
      [3, 3],
      [3, 3],
    ])
    const [first, second] = result.ranking
    expect(first!.throughput).toBeGreaterThanOrEqual(second!.throughput)
    const text = lineOf(textReport(evaluation, result))
    expect(text).toContain('old is out: Transactions: any is required, Old has none.')
    expect(text).toContain('meet every scenario')
    expect(text).toContain('Stale reads, and the price of strong consistency.')
    expect(text).toContain('More than 4 callers, and callers on more than one machine.')
    const page = reportPage(evaluation, result)
    expect(page).toContain('<h1>A shop: Which store?</h1>')
    expect(page).toContain('unikv evaluate')
    const files = resultFiles(evaluation, result)
    expect([...files.keys()]).toContain('times-both-update.csv')
    expect(parseResult(evaluation, String(files.get('result.json')))).toEqual(result)
  })

  test('ranks by runs: those that cannot tell candidates apart give them the same places', async () => {
    const result = await evaluated([target('fast'), target('slow')])
    const ranked = (fast: readonly number[], slow: readonly number[]) => {
      const runs: Readonly<Record<string, readonly number[]>> = { fast, slow }
      const curves = result.curves.map((curve) => ({
        ...curve,
        points: curve.points.map((point) => ({ ...point, rate: averaged(runs[curve.store]!) })),
      }))
      const config = { ...result.config, runs: fast.length }
      const ranking = rankingOf(config, curves, result.scenarios, [])
      const [finding, tie] = evaluation.report.findings({ ...result, config, curves, ranking })
      return [ranking.map(({ places }) => places), finding, tie]
    }
    const both = expect.stringMatching(/^(fast and slow|slow and fast) meet every scenario\.$/)
    const shared = [
      [1, 2],
      [1, 2],
    ]
    expect(ranked([26_605, 74_972, 12_588], [12_000, 30_000, 25_000])).toEqual([
      shared,
      both,
      '1–2: fast and slow cannot be told apart by their throughput, as their runs vary too much, or differ by too little.',
    ])
    expect(ranked([100, 100], [10, 10])).toEqual([
      shared,
      both,
      expect.stringContaining('two runs do not tell'),
    ])
    expect(ranked([100, 50, 80], [40, 21, 33])).toEqual([
      [
        [1, 1],
        [2, 2],
      ],
      expect.stringMatching(/meet every scenario\. fast has the most throughput; slow has 4\d % of it\./),
      expect.not.stringContaining('told apart'),
    ])
  })

  test('a store that fails is given up, and the others go on', async () => {
    const result = await evaluated([target('fast'), target('slow', failing('write'))])
    expect(result.failures).toEqual([{ store: 'slow', error: expect.stringContaining('the disk is gone') }])
    expect(result.ranking.map(({ candidate: name }) => name)).toEqual(['fast'])
    expect(lineOf(textReport(evaluation, result))).toContain('slow was given up')
  })

  test('a scenario does not hold where nothing succeeds, and the candidate comes last', async () => {
    let writes = 0
    const slow = failing('read', () => writes > 0)
    const config = await configOf()
    const own = slow.write.bind(slow)
    Object.assign(slow, {
      write: (...args: Parameters<typeof own>) => {
        if (args[0].length > 1) writes += 1
        return own(...args)
      },
    })
    const result = await evaluated([target('slow', slow), target('fast')], config)
    expect(result.ranking.map(({ candidate: name, met }) => [name, met])).toEqual([
      ['fast', 3],
      ['slow', 0],
    ])
    expect(result.scenarios.find(({ candidate: name }) => name === 'slow')?.found).toBeNull()
    expect(result.ranking[1]!.reasons.join(' ')).toContain('It misses “no failure”')
  })

  test('where nothing succeeds nothing can be missed, and that is not a scenario that holds', async () => {
    let writes = 0
    const slow = failing('read', () => writes > 0)
    const own = slow.write.bind(slow)
    Object.assign(slow, {
      write: (...args: Parameters<typeof own>) => {
        if (args[0].length > 1) writes += 1
        return own(...args)
      },
    })
    const loads = { 'read only': 'read=100' }
    const scenarios = Object.fromEntries(
      ['misses <= 5%', 'misses <= 10', 'read.misses <= 5%'].map((measure) => [
        measure,
        { measure, load: 'read only', callers: 1 },
      ]),
    )
    const result = await evaluated(
      [target('slow', slow), target('fast')],
      await configOf({ ...document, loads, scenarios }),
    )
    for (const { candidate: name, holds, found } of result.scenarios)
      expect([name, holds, found]).toEqual(name === 'slow' ? ['slow', false, null] : ['fast', true, 0])
  })

  test('a store that is lost with its records does not make the run a failed one, and is told', async () => {
    const inner = memory()
    let isLost = false
    const lost = (): void => {
      if (isLost) throw new StoreError('UNAVAILABLE', 'the machine is gone')
    }
    const slow: Store<Bytes> = {
      ...inner,
      read: (reads, call) => (lost(), inner.read(reads, call)),
      write: (mutations, call) => (lost(), inner.write(mutations, call)),
      scan: (range, call) => (lost(), inner.scan(range, call)),
    }
    const result = await runStudy(evaluation, {
      config: await configOf(),
      stores: [target('fast'), target('slow', slow)],
      data: synthetic({ seed: 1 }),
      onEvent: (event) => {
        isLost ||= event.type === 'cell' && event.cell.run === 2
      },
    })
    const left =
      'The data that this run wrote to slow could not be removed. The next run there will remove it.'
    expect([result.status, result.error]).toEqual(['complete', left])
    expect(evaluation.report.findings(result)).toContain(left)
    expect(result.ranking[0]?.candidate).toBe('fast')
    const impossible = { impossible: { measure: 'rate < 0.001', load: 'both', callers: 1 } }
    isLost = false
    const crossed = await runStudy(evaluation, {
      config: await configOf({ ...document, scenarios: impossible }),
      stores: [target('fast'), target('slow', slow)],
      data: synthetic({ seed: 1 }),
      onEvent: (event) => {
        isLost ||= event.type === 'cell' && event.cell.run === 2
      },
    })
    expect([crossed.status, crossed.error]).toEqual(['crossed', `No candidate meets every scenario. ${left}`])
  })

  test('weights are told without the noise of binary fractions', async () => {
    const scenarios = Object.fromEntries(
      [0.1, 0.2].map((weight) => [weight, { measure: 'rate > 0', load: 'both', callers: 1, weight }]),
    )
    const result = await evaluated([target('fast')], await configOf({ ...document, scenarios }))
    expect(lineOf(textReport(evaluation, result))).toContain(' 0.3 of 0.3 ')
  })

  test('no candidate that meets every scenario is a crossed threshold; none that was measured makes it invalid', async () => {
    const strict = {
      ...document,
      scenarios: { impossible: { measure: 'rate < 1', load: 'both', callers: 1 } },
    }
    const crossed = await evaluated([target('fast')], await configOf(strict))
    expect([crossed.status, crossed.error]).toEqual(['crossed', 'No candidate meets every scenario.'])
    const invalid = await evaluated([target('slow', failing('write'))])
    expect(invalid.status).toBe('invalid')
    expect(invalid.error).toContain('No candidate could be measured. slow: ')
  })

  test('eventual consistency is measured for the compared load alone, beside the strong one', async () => {
    const both = { ...candidate('fast'), hasEventual: true }
    const config = await configOf({ ...document, compare: 'read only' }, [both])
    const result = await evaluated([target('fast'), target('fast-eventual')], config)
    expect(result.curves.map(({ store, load }) => [store, load])).toEqual([
      ['fast', 'read only'],
      ['fast-eventual', 'read only'],
      ['fast', 'both'],
    ])
    const [compared] = result.comparisons
    expect(compared!.points.map(({ callers }) => callers)).toEqual([1, 2, 4])
    for (const { strong, eventual, cost } of compared!.points)
      expect(cost).toBeCloseTo(1 - strong / eventual, 9)
    expect(result.ranking.map(({ candidate: name }) => name)).toEqual(['fast'])
  })

  describe('with prices', () => {
    const prices = {
      currency: 'EUR',
      date: '2026-11-30',
      source: 'our contract',
      stored: 50,
      candidates: {
        fast: { nodes: 3, nodeHour: 0.1, millionReads: 0.25, millionWrites: 1.25, gbMonth: 0.2 },
        slow: { nodes: 1, nodeHour: 0.5, millionReads: 0 },
      },
    }

    /** An evaluation in which each load had 100 operations a second, of which four in five were the first of its mix. */
    async function priced(changes: object = {}): Promise<EvaluationResult> {
      const config = await configOf({ ...document, prices: { ...prices, ...changes } })
      const result = await evaluated([target('fast'), target('slow')], config)
      const curves = result.curves.map((curve) => ({
        ...curve,
        points: curve.points.map((point) => ({
          ...point,
          rate: averaged([100, 100]),
          operations: point.operations.map((one) => ({ ...one, count: one.name === 'read' ? 80 : 20 })),
        })),
      }))
      return { ...result, curves, costs: costsOf(config, curves) }
    }

    const monthsOf = ({ costs = [] }: EvaluationResult) =>
      costs.map(({ month }) => (month === null ? null : Number(month.toFixed(2))))

    test('tells a cost a month and how it is computed; what has no price is missing, and not 0', async () => {
      const result = await priced()
      expect(
        result.costs?.[0]?.parts.map(({ amount, month }) => [amount, Number(month?.toFixed(2))]),
      ).toEqual([
        [2_190, 219],
        [210.24, 52.56],
        [52.56, 65.7],
        [50, 10],
      ])
      expect(monthsOf(result)).toEqual([347.26, 365])
      const text = lineOf(textReport(evaluation, result))
      expect(text).toContain('Cost a month: fast EUR 347, slow EUR 365 without writes and storage.')
      expect(text).toMatch(
        /fast nodes 2,190 node hours at 0\.1 219 fast reads 210\.2 million reads at 0\.25 52\.56/,
      )
      expect(text).toContain('slow reads free 0.00 slow writes no price –')
      expect(text).toContain('slow all at 100/s of “both” without writes and storage 365')
      const page = reportPage(evaluation, result)
      expect(page).toContain('in EUR, of 2026-11-30 (our contract)')
      expect(page).toContain('A month of it costs EUR 365 without writes and storage.')
      expect(parseResult(evaluation, String(resultFiles(evaluation, result).get('result.json')))).toEqual(
        result,
      )
    })

    test.each([
      [{ rate: 50 }, [288.13, 365]],
      [{ rate: 101 }, [null, null]],
      [{ asks: { read: { reads: 2 } } }, [399.82, 365]],
      [{ stored: undefined }, [337.26, 365]],
      [{ candidates: { slow: {} } }, [null, null]],
    ])('changed by %j: %j', async (changes, months) => {
      expect(monthsOf(await priced(changes))).toEqual(months)
    })

    test('says why a part is not known', async () => {
      const loads = { look: 'scan=50,read=50' }
      const config = await configOf({
        ...document,
        loads,
        scenarios: {},
        prices: { ...prices, stored: undefined },
      })
      const { costs } = await evaluated([target('fast'), target('slow')], config)
      expect(costs?.[0]?.parts.map(({ lack }) => lack)).toEqual([
        null,
        'prices.asks does not say what scan asks of the store',
        'prices.asks does not say what scan asks of the store',
        'prices.stored does not say how much is stored',
      ])
      expect((await evaluated([target('fast')])).costs).toBeUndefined()
    })
  })

  test('a scenario takes what it does not say from a general one', async () => {
    const scenarios = {
      opened: { extends: 'low-latency-read', load: 'read only', callers: 4, measure: 'read.mean < 60s' },
      kept: { extends: 'long-keeping', load: 'both', callers: 2, requires: {} },
    }
    const checked = evaluationDocument({ ...document, scenarios }, 'shop.yaml')
    expect(Object.values(checked.scenarios ?? {}).map(({ requires }) => requires)).toEqual([
      { replication: true },
      {},
    ])
    const config = await configOf({ ...document, scenarios })
    expect(config.scenarios).toMatchObject([
      {
        name: 'opened',
        stimulus: expect.stringContaining('opens'),
        measure: { text: 'read.mean < 60s' },
        callers: 4,
      },
      { name: 'kept', measure: { text: 'rate > 500' }, callers: 2 },
    ])
  })

  test('the time of the plan counts runs and warm-ups', async () => {
    const sweep = { callers: [1, 2], runs: 3, duration: '2s', warmup: '1s' }
    const config = await configOf({ ...document, sweep, scenarios: {} }, [candidate('fast')])
    const plan = { config, stores: [target('fast')], caches: [], points: [] }
    expect(leastMs(plan)).toBe(1_000 + 2 * 2 * 3 * 2_000)
  })
})

test.each([
  [{ candidate: {} }, "there is no 'candidate' here. Did you mean 'candidates'?"],
  [{ candidates: {} }, 'candidates: it must name at least one candidate'],
  [{ candidates: { 'a b': 'memory:' } }, 'candidates.a b: a name begins with a letter or digit'],
  [{ candidates: { a: { url: 'memory:', uri: 1 } } }, 'candidates.a'],
  [
    { candidates: { a: 'memory:', 'a-eventual': 'memory:' } },
    "candidates.a-eventual: this name stands for 'a' with eventual consistency",
  ],
  [{ workload: { preset: 'z' } }, "workload.preset: it must be a, b, c, d, e or f, got 'z'"],
  [{ workload: { records: 1e15 } }, 'workload.records: it must be a whole number from 1 to 1,000,000,000'],
  [{ sweep: { callers: [1, 1e9] } }, 'sweep.callers[1]: it must be a whole number from 1 to 100,000'],
  [
    { sweep: { callers: Array.from({ length: 101 }, (_, i) => i + 1) } },
    'sweep.callers: it must be a list of up to 100 numbers',
  ],
  [{ sweep: { runs: 1_001 } }, 'sweep.runs: it must be a whole number from 1 to 1,000'],
  [{ seed: 2 ** 32 }, 'seed: it must be a whole number from 0 to 4,294,967,295'],
  [{ requires: { transaction: 'any' } }, "there is no 'transaction' here. Did you mean 'transactions'?"],
  [
    { requires: { transactions: 'some' } },
    'requires.transactions: it must be none, record, partition or any',
  ],
  [{ needs: ['ttls'] }, "needs[0]: there is no feature 'ttls'"],
  [{ loads: { both: 'read' } }, "loads.both: Mix: 'read' is not an operation with a weight"],
  [{ loads: { both: 'look=1' } }, "workload: Mix: there is no operation 'look'"],
  [{ workload: { module: 'gone.mjs' } }, 'workload: The workload module gone.mjs cannot be read'],
  [{ sweep: { callers: [] } }, 'sweep.callers: it must be a list of up to 100 numbers'],
  [{ sweep: { callers: [0] } }, 'sweep.callers[0]: it must be a whole number from 1'],
  [{ sweep: { ...document.sweep, duration: 'long' } }, "sweep.duration: 'long' is not a time"],
  [{ compare: 'neither' }, "compare: there is no load 'neither'; the loads are read only, both"],
  [
    { scenarios: { a: { measure: 'read.p95 < 5', load: 'both', callers: 2 } } },
    'scenarios.a.measure: The threshold',
  ],
  [
    { scenarios: { a: { measure: 'scan.p95 < 5ms', load: 'both', callers: 2 } } },
    "has no operation 'scan'; it has read, update",
  ],
  [
    { scenarios: { a: { measure: 'read.p95 < 5ms', load: 'bot', callers: 2 } } },
    "there is no load 'bot'. Did you mean 'both'?",
  ],
  [
    { scenarios: { a: { measure: 'read.p95 < 5ms', load: 'both', callers: 3 } } },
    '3 is not measured. Choose one of 1, 2, 4',
  ],
  [{ scenarios: { a: { load: 'both', callers: 2 } } }, 'scenarios.a.measure: it is missing'],
  [{ scenarios: { a: { load: 'both', measure: 'rate > 1' } } }, 'scenarios.a.callers: it is missing'],
  [
    { scenarios: { a: { extends: 'low-latency-reads', load: 'both' } } },
    "scenarios.a.extends: there is no general scenario 'low-latency-reads'. Did you mean 'low-latency-read'?",
  ],
  [
    { scenarios: { a: { extends: 'growth', load: 'both' } } },
    'scenarios.a.callers: 200 is not measured. Choose one of 1, 2, 4',
  ],
  [
    { scenarios: { a: { extends: 'growth', load: 'both', callers: 2, requires: { shards: true } } } },
    "scenarios.a.requires: there is no 'shards' here",
  ],
  [{ prices: {} }, 'prices.currency: it is missing: a currency, such as EUR'],
  [
    { prices: { ...noPrices, currency: 'euro' } },
    "prices.currency: it must be a currency, such as EUR, got 'euro'",
  ],
  [{ prices: { ...noPrices, date: 'today' } }, 'prices.date: it must be a day'],
  [
    { prices: { ...noPrices, load: 'none' } },
    "prices.load: there is no load 'none'; the loads are read only, both",
  ],
  [
    { prices: { ...noPrices, candidates: { quick: {} } } },
    'prices.candidates.quick: there is no such candidate',
  ],
  [{ prices: { ...noPrices, candidates: { fast: { nodes: 3 } } } }, 'nodes and nodeHour need each other'],
  [
    { prices: { ...noPrices, candidates: { fast: { gbMonth: -1 } } } },
    'gbMonth: it must be a number from 0 on',
  ],
  [
    { prices: { ...noPrices, asks: { scan: { reads: 2 } } } },
    'prices.asks.scan: the load both does not do this',
  ],
])('a document that is wrong is refused: %j', async (changes, message) => {
  const error = await configOf({ ...document, ...changes }).catch((found: unknown) => found)
  expect(error).toMatchObject({ code: 'INVALID_CONFIG' })
  expect((error as Error).message).toContain(`shop.yaml`)
  expect((error as Error).message).toContain(message)
})
