import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { compareResults, compareSides } from '../../src/compare/compare-results.ts'
import { discoveryLevel } from '../../src/compare/compared-figures.ts'
import {
  comparisonFindings,
  comparisonTables,
  hasRegression,
  isUntold,
} from '../../src/compare/comparison-report.ts'
import { joinedFindings, joinedResult } from '../../src/compare/joined.ts'
import type { NamedResult } from '../../src/compare/sides.ts'
import type { Row } from '../../src/cube/row.ts'
import { reportPage } from '../../src/page/page.ts'
import { fastRandom } from '../../src/random/random.ts'
import { documentStudies, studies } from '../../src/studies/index.ts'
import { run } from '../../src/studies/run/run.ts'
import { parseResult } from '../../src/study/result-file.ts'
import type { AnyResult, AnyStudy } from '../../src/study/study.ts'
import { drive } from '../studies/run/drive.ts'
import { invocations, normal, ratedResult, resultOf, timesRows } from './planted.ts'

const base = ratedResult([1_000, 1_010, 990, 1_005], 'base')

/** Runs of two results say all: the machine is the same at any moment. */
const still = { between: 0 }

function verdicts(other: NamedResult, options: object = still, first = base): readonly string[] {
  return compareResults([first, other], options).flatMap(({ figures }) =>
    figures.map(({ dimensions, figure, comparison }) =>
      [dimensions['operation'] ?? 'all', figure, comparison.verdict].join(' '),
    ),
  )
}

describe('compareResults', () => {
  test('finds what became slower or faster, all together and for each operation', () => {
    const slower = ratedResult([900, 905, 895, 910], 'new')
    expect(verdicts(slower)).toEqual(['all rate slower', 'read mean slower', 'read p50 slower'])
    expect(verdicts(ratedResult([1_100, 1_105, 1_095, 1_110], 'new'))[0]).toBe('all rate faster')
    const pairs = compareResults([base, slower], still)
    expect([hasRegression(pairs), comparisonFindings(pairs)[0]]).toEqual([
      true,
      expect.stringMatching(/^new is slower than base: its rate is 9\.\d % lower/),
    ])
    expect(comparisonTables(pairs)[0]!.rows[0]!.slice(0, 5)).toEqual([
      'all',
      'ops/s',
      '1,000',
      '903',
      '−9.9 %',
    ])
  })

  test('sees no difference below the least effect, and none within the noise, where it shows the interval only', () => {
    const little = ratedResult([981, 991, 971, 986], 'new')
    expect(verdicts(little)[0]).toBe('all rate no-difference')
    expect(verdicts(little, { ...still, minEffect: 0.01 })[0]).toBe('all rate slower')
    const noisy = ratedResult([500, 1_500, 700, 1_200], 'new')
    expect(verdicts(noisy)[0]).toBe('all rate unclear')
    expect(comparisonTables(compareResults([base, noisy]))[0]!.rows[0]!.slice(4)).toEqual([
      '–',
      expect.stringMatching(/^−[\d.]+ % to /),
      'unclear',
    ])
    expect(verdicts(ratedResult([500, 510], 'new'))[0]).toBe('all rate not-enough-runs')
  })

  test('does not call a store faster that lost its records, and tells so', () => {
    const lost = ratedResult([1_700, 1_710, 1_690, 1_705], 'new', 60)
    const pairs = compareResults([base, lost], still)
    expect(verdicts(lost).toSorted()).toEqual([
      'all rate unclear',
      'read mean unclear',
      'read misses slower',
      'read p50 unclear',
    ])
    expect([hasRegression(pairs), comparisonFindings(pairs).join('\n')]).toEqual([
      true,
      expect.stringMatching(/not called better, as its misses rose from 0 % to 37\.5 %/),
    ])
    expect(verdicts(ratedResult([1_000, 1_010, 990, 1_005], 'new', 60), still, lost)).toContain(
      'read misses no-difference',
    )
  })

  test('finds slow operations that change a percentile and hide in the mean (L8)', () => {
    const draw = normal(fastRandom(3))
    const times = (slow: number): number[][] =>
      Array.from({ length: 5 }, (_, r) =>
        Array.from(
          { length: 1_200 },
          (_, i) => 20 * Math.exp(0.3 * draw() + 0.02 * Math.sin(r)) + (i % 50 === 0 ? slow : 0),
        ),
      )
    const found = verdicts(
      resultOf(timesRows(times(28)), 'new'),
      still,
      resultOf(timesRows(times(0)), 'base'),
    )
    expect(found).toContain('read p99 slower')
    expect(found.filter((one) => !/p9\d/.test(one)).join()).not.toMatch(/slower|faster/)
  })

  test.each([
    [{ seed: 7 }, 'seed (42 and 7)'],
    [{ concurrency: 8 }, 'concurrency (4 and 8)'],
    [{ preset: 'c' }, 'mix ({"read":0.5,"update":0.5} and {"read":1})'],
    [{ valueSize: { kind: 'constant', length: 10 } }, 'lengths of values'],
    [{ threads: 2 }, 'threads (1 and 2)'],
  ])('refuses what was measured otherwise: %j', async (fields, message) => {
    const { threads = 1, ...others } = fields as { threads?: number; seed?: number }
    const result = (await drive({ preset: 'a', ...others })) as unknown as AnyResult
    const other = { name: 'new', study: run as unknown as AnyStudy, result }
    const config = { ...result.config, ...(threads === 1 ? {} : { threads }) } as AnyResult['config']
    const unlike = { ...other, result: { ...result, config } }
    const first = { ...other, name: 'base', result: base.result }
    expect(() => verdicts(unlike, {}, first)).toThrow(`base and new were not measured alike: ${message}`)
    expect(verdicts(unlike, { force: true }, first).length).toBeGreaterThan(0)
  })

  test('a percentile that one run has too few operations for leaves the others told', () => {
    const times = (count: number): number[] => Array.from({ length: count }, (_, i) => 1 + (i % 10) / 100)
    const base = resultOf(timesRows([times(300), times(300), times(300)]), 'base')
    const fewer = resultOf(timesRows([times(300), times(190), times(300)]), 'new')
    const [pair] = compareResults([base, fewer], still)
    expect(pair?.figures.map(({ figure }) => figure)).toEqual(['rate', 'mean', 'p50'])
    expect([isUntold([pair!]), hasRegression([pair!])]).toEqual([false, false])
  })

  test('tells what a result lacks of the base, so that a store that failed does not pass', () => {
    const found = (other: readonly Row[], first: readonly Row[]) => {
      const pairs = compareResults([resultOf(first, 'base'), resultOf(other, 'new')], still)
      return [isUntold(pairs), ...comparisonFindings(pairs).filter((one) => one.startsWith('Not compared'))]
    }
    const reads = timesRows([
      [1, 1],
      [1, 1.1],
      [1.1, 1],
    ])
    const both = [
      ...reads,
      ...timesRows([[1], [1], [1]], 'update').filter(({ measure }) => measure === 'service'),
    ]
    const idle = reads
      .filter(({ run: number, measure }) => measure !== 'service' || number === 3)
      .map((row) => (row.measure === 'rate' && row.run !== 3 ? { ...row, value: 0 } : row))
    expect(found(both, both)).toEqual([false])
    expect(found(reads, both)).toEqual([true, 'Not compared: new has no successful update.'])
    expect(found(idle, reads)).toEqual([true, 'Not compared: new has 2 of 3 runs without a success.'])
    expect(found(reads, [...reads, ...timesRows([[1]], 'read', 'second')])).toEqual([
      true,
      'Not compared: new has no store second.',
    ])
    expect(
      found(
        reads.filter(({ run: number }) => number !== 3),
        reads,
      ),
    ).toEqual([true])
  })

  test('a median of all runs beside those of each is not a further run, and tells what the result has', () => {
    const rows = (middle: number): readonly Row[] => {
      const row = { store: 'here', dimensions: { size: 100 }, outcome: 'success', unit: 'ms' } as const
      const median = { ...row, measure: 'service', statistic: 'p50' }
      return [1, 2, null].map((run) => ({ ...median, run, value: run === null ? middle : 10 * run }))
    }
    const [pair] = compareResults([resultOf(rows(11), 'one'), resultOf(rows(12), 'two')])
    const [found] = pair?.figures ?? []
    expect([found?.figure, found?.comparison.runs, found?.comparison.verdict]).toEqual([
      'p50',
      [2, 2],
      'not-enough-runs',
    ])
    const three = [11, 12, 13].map((middle) => resultOf(rows(middle), `r${middle}`))
    const several = compareSides(three, three)
    expect(several.figures[0]?.comparison.means[0]).toBeCloseTo(12, 1)
  })

  test('refuses a run that is invalid, and results without a store in common', () => {
    const invalid = { ...base, name: 'new', result: { ...base.result, status: 'invalid' as const } }
    expect(() => verdicts(invalid)).toThrow(`run ${base.result.runId} is invalid`)
    const two = resultOf([...timesRows([[1]], 'read', 'x'), ...timesRows([[1]], 'read', 'y')], 'new')
    expect(() => verdicts(two)).toThrow('base and new have no store of the same name')
    expect(() => compareResults([base])).toThrow('two results or more')
  })
})

/** How many of so many comparisons call something different. */
function called(
  count: number,
  compared: (seed: number) => readonly ReturnType<typeof compareSides>[],
): number {
  return Array.from({ length: count }, (_, seed) => compared(seed)).filter((pairs) =>
    pairs.some(({ figures }) => figures.some(({ comparison }) => /faster|slower/.test(comparison.verdict))),
  ).length
}

describe('the same thing is the same', () => {
  test('with twenty figures, about one comparison in twenty calls something different', () => {
    const noise = (seed: number, name: string): NamedResult => {
      const draw = normal(fastRandom(seed))
      const values = (callers: number): Row[] =>
        Array.from({ length: 5 }, (_, i) => ({
          store: 'here',
          dimensions: { callers },
          run: i + 1,
          measure: 'rate',
          unit: '1/s',
          outcome: 'success',
          value: 1_000 * Math.exp(0.1 * draw()),
        }))
      return resultOf(Array.from({ length: 20 }, (_, i) => values(i + 1)).flat(), name)
    }
    // The whole run has more comparisons; the seeds are the same ones.
    const found = called(isWhole ? 100 : 10, (seed) =>
      compareResults([noise(2 * seed, 'a'), noise(2 * seed + 1, 'b')], { ...still, minEffect: 0 }),
    )
    expect(found).toBeLessThanOrEqual(isWhole ? 8 : 1)
    // By Benjamini and Hochberg: two of four are below their part of 5 %.
    expect(discoveryLevel([0.001, 0.02, 0.04, 0.6], 0.05)).toBe(0.025)
    expect(discoveryLevel([0.2, 0.6], 0.05)).toBe(0.025)
  })

  test('two moments of a busy machine: at most one of 20 is called different, and a factor of 5 is found', () => {
    const moments = (seed: number, level: number, options: object = {}) => {
      const [one, other] = [1, level].map((own, i) =>
        invocations(seed * 2 + i, { between: 0.25, within: 0.03, level: own })(`r${i}`),
      )
      return compareResults([one!, other!], options)
    }
    const most = isWhole ? 40 : 10
    expect(called(most, (seed) => moments(seed, 1))).toBeLessThanOrEqual(isWhole ? 2 : 1)
    expect(called(most / 2, (seed) => moments(seed, 0.2))).toBeGreaterThanOrEqual(most / 2 - 1)
    expect(comparisonFindings(moments(1, 1)).join('\n')).toMatch(
      /r0 and r1 were measured at two moments, and/,
    )
    // Their runs alone would call most of them different.
    expect(called(most, (seed) => moments(seed, 1, still))).toBeGreaterThan(most / 2)
  })

  test('the load of the machine stands beside two moments, where it was kept', () => {
    const loaded = (name: string, value: number) => {
      const row = {
        store: 'here',
        dimensions: {},
        run: 1,
        measure: 'load average',
        unit: 'count',
        value,
      } as const
      return resultOf([...timesRows([[1], [1], [1]]), { ...row, outcome: 'success' }], name)
    }
    const found = comparisonFindings(compareResults([loaded('a', 1.04), loaded('b', 12)])).join()
    expect(found).toContain('a and b were measured at two moments (load average 1.0 and 12.0), and')
  })

  test('several invocations a side: the invocation is the unit', () => {
    const sides = (seed: number, level: number, count: number, inTurn = false) => {
      const [a, b] = [1, level].map((own, i) =>
        invocations(seed * 2 + i, { between: 0.1, within: 0.02, level: own }),
      )
      const many = (make: typeof a, name: string) =>
        Array.from({ length: count }, (_, i) => make!(`${name}${i}`))
      return [compareSides(many(a, 'a'), many(b, 'b'), { inTurn })]
    }
    const most = isWhole ? 40 : 10
    expect(called(most, (seed) => sides(seed, 1, 5))).toBeLessThanOrEqual(isWhole ? 3 : 1)
    expect(called(most / 2, (seed) => sides(seed, 0.73, 8))).toBeGreaterThanOrEqual(most / 2 - 1)
    expect(sides(1, 1, 5)[0]).toMatchObject({
      names: ['base', 'new'],
      unit: 'invocations',
      figures: expect.arrayContaining([
        expect.objectContaining({ comparison: expect.objectContaining({ runs: [5, 5] }) }),
      ]),
    })
    expect(sides(1, 1, 5, true)[0]).toMatchObject({ unit: 'turns' })
    const at = (one: NamedResult, minute: number): NamedResult => {
      return { ...one, result: { ...one.result, startedAt: `2026-01-01T00:0${minute}:00.000Z` } }
    }
    const found = (minutes: readonly number[]) =>
      comparisonFindings([
        compareSides(
          minutes.slice(0, 3).map((minute) => at(base, minute)),
          minutes.slice(3).map((minute) => at(base, minute)),
        ),
      ]).join()
    expect(found([1, 2, 3, 4, 5, 6])).toContain('All of one side was measured before all of the other')
    expect(found([1, 3, 5, 2, 4, 6])).not.toContain('All of one side')
  })
})

const goldens = fileURLToPath(new URL('../goldens/', import.meta.url))

test.each(readdirSync(goldens).filter((name) => name.endsWith('.json.gz')))(
  '%s: a result of any study is compared, and joined with another one on a page',
  async (file) => {
    const golden = JSON.parse(gunzipSync(readFileSync(`${goldens}${file}`)).toString())
    const study = await [...studies, ...documentStudies].find(({ name }) => name === golden.study)?.load()
    if (study === undefined) return expect.unreachable()
    const result = { ...parseResult(study, JSON.stringify(golden.result)), status: 'complete' } as AnyResult
    const named = ['one', 'two'].map((name) => ({ name, study, result }))
    const [pair] = compareResults(named)
    expect([pair?.differences, pair?.missing]).toEqual([[], []])
    expect(pair?.figures.length).toBeGreaterThan(0)
    for (const { comparison } of pair?.figures ?? []) expect(comparison.verdict).not.toMatch(/faster|slower/)
    const page = reportPage(study, joinedResult(named), {
      findings: joinedFindings(named),
      folders: ['one', 'two'],
    })
    for (const { name } of result.stores)
      for (const own of ['one', 'two']) expect(page).toContain(`${name} ${own}`)
    const other = { ...result, config: { ...result.config, seed: 1_234 } }
    expect(() => compareResults([named[0]!, { ...named[1]!, result: other }])).toThrow('and 1234)')
  },
)
