import { beforeAll, describe, expect, test } from 'vitest'
import { compareResults as compareAny } from '../../../src/driven/compare/compare-results.ts'
import {
  comparisonFindings,
  comparisonTables,
  hasRegression,
  isUntold,
} from '../../../src/driven/compare/comparison-report.ts'
import type { Averaged } from '../../../src/driven/result.ts'
import { alike } from '../../../src/studies/run/alike.ts'
import type { RunResult } from '../../../src/studies/run/result.ts'
import { drive } from './drive.ts'

let base: RunResult

const compareResults = (
  results: Parameters<typeof compareAny>[0],
  options: Parameters<typeof compareAny>[1] = {},
) => compareAny(results, { alike, ...options })

beforeAll(async () => {
  base = withFigures(await drive({ preset: 'a', runs: 4 }), [1_000, 1_010, 990, 1_005])
})

const averaged = (runs: readonly number[]): Averaged => ({ runs, mean: runs[0]!, halfWidth: null })

/** The same run with these rates; times of operations follow from them. */
function withFigures(result: RunResult, rates: readonly number[]): RunResult {
  const times = averaged(rates.map((rate) => 1_000 / rate))
  const targets = result.targets.map((target) => ({
    ...target,
    rate: averaged(rates),
    operations: target.operations.map((operation) => ({
      ...operation,
      service: { ...operation.service, meanMs: times },
    })),
  }))
  return { ...result, targets }
}

function verdicts(other: RunResult, options = {}): readonly string[] {
  const results = [
    { name: 'base', result: base },
    { name: 'new', result: other },
  ]
  return compareResults(results, options).flatMap(({ figures }) =>
    figures.map(({ operation, comparison }) => `${operation} ${comparison.verdict}`),
  )
}

describe('compareResults', () => {
  test('finds what became slower or faster, all together and for each operation', () => {
    const slower = withFigures(base, [900, 905, 895, 910])
    expect(verdicts(slower)).toEqual(['all slower', 'read slower', 'update slower'])
    expect(verdicts(withFigures(base, [1_100, 1_105, 1_095, 1_110]))[0]).toBe('all faster')
    const pairs = compareResults([
      { name: 'base', result: base },
      { name: 'new', result: slower },
    ])
    expect([hasRegression(pairs), comparisonFindings(pairs)[0]]).toEqual([
      true,
      expect.stringMatching(/^new is slower than base: its rate is 9\.\d % lower/),
    ])
    expect(comparisonTables(pairs)[0]!.rows[0]!.slice(0, 4)).toEqual(['all', 'ops/s', '1,000', '903'])
  })

  test('sees no difference below the least effect, and none within the noise', () => {
    const little = withFigures(base, [981, 991, 971, 986])
    expect(verdicts(little)).toEqual(['all no-difference', 'read no-difference', 'update no-difference'])
    expect(verdicts(little, { minEffect: 0.01 })[0]).toBe('all slower')
    expect(verdicts(withFigures(base, [500, 1_500, 700, 1_200]))[0]).toBe('all unclear')
    expect(verdicts(withFigures(base, [500, 510]))[0]).toBe('all not-enough-runs')
  })

  test.each([
    [{ seed: 7 }, 'seed (42 and 7)'],
    [{ concurrency: 8 }, 'concurrency (4 and 8)'],
    [{ preset: 'c' }, 'mix ({"read":0.5,"update":0.5} and {"read":1})'],
    [{ valueSize: { kind: 'constant', length: 10 } }, 'lengths of values'],
  ])('refuses what was measured otherwise: %j', async (fields, message) => {
    const other = await drive({ preset: 'a', ...fields })
    expect(() => verdicts(other)).toThrow(`base and new were not measured alike: ${message}`)
    expect(verdicts(other, { force: true }).length).toBeGreaterThan(0)
  })

  test('tells what a result lacks of the base, so that a store that failed does not pass', () => {
    const found = (other: RunResult, first = base) => {
      const pairs = compareResults([
        { name: 'base', result: first },
        { name: 'new', result: other },
      ])
      return [isUntold(pairs), ...comparisonFindings(pairs).filter((one) => one.startsWith('Not compared'))]
    }
    const [target] = base.targets as [RunResult['targets'][number]]
    const onlyReads = target.operations.map((one) => (one.name === 'update' ? { ...one, count: 0 } : one))
    const having = (...targets: RunResult['targets']): RunResult => ({ ...base, targets })
    expect(found(base)).toEqual([false])
    expect(found(having({ ...target, operations: onlyReads }))).toEqual([
      true,
      'Not compared: new has no successful update.',
    ])
    expect(found(having({ ...target, rate: averaged([0, 0, 900]) }))).toEqual([
      true,
      'Not compared: new has 2 of 3 runs without a success.',
    ])
    expect(found(base, having(target, { ...target, store: 'second' }))).toEqual([
      true,
      'Not compared: new has no store second.',
    ])
    expect(found(withFigures(base, [500, 510]))).toEqual([true])
  })

  test('refuses another number of threads', () => {
    const other = { ...base, config: { ...base.config, threads: 2 } }
    expect(() => verdicts(other)).toThrow('not measured alike: threads (1 and 2)')
  })

  test('refuses a run that is invalid, and results without a store in common', () => {
    expect(() => verdicts({ ...base, status: 'invalid' })).toThrow(`run ${base.runId} is invalid`)
    const [target] = base.targets as [RunResult['targets'][number]]
    const two = {
      ...base,
      targets: [
        { ...target, store: 'x' },
        { ...target, store: 'y' },
      ],
    }
    expect(() => verdicts(two)).toThrow('have no store of the same name')
  })
})
