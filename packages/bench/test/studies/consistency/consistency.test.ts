import type { Bytes, Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import type { StoreTarget } from '../../../src/run/target.ts'
import type { ConsistencyConfig } from '../../../src/studies/consistency/config.ts'
import { consistency } from '../../../src/studies/consistency/consistency.ts'
import { pairText, parseLevels } from '../../../src/studies/consistency/levels.ts'
import { type ConsistencyCell, plan } from '../../../src/studies/consistency/plan.ts'
import { costsOf } from '../../../src/studies/consistency/rates.ts'
import { findings } from '../../../src/studies/consistency/report/findings.ts'
import type { ConsistencyResult, LevelRate } from '../../../src/studies/consistency/result.ts'
import type { CellStore } from '../../../src/study/kept-cells.ts'
import { runStudy, type StudyInput } from '../../../src/study/run-study.ts'
import { configOf as configFor } from '../config-of.ts'
import { planted } from './planted.ts'

const short = {
  callers: [1, 4],
  records: 50,
  duration: 20,
  warmup: 0,
  runs: 1,
  probes: 5,
  probeRate: 1_000,
  delays: [0, 1],
}

async function configOf(fields: object): Promise<ConsistencyConfig> {
  return configFor(consistency, { ...short, ...fields })
}

function target(
  store: Store<Bytes> = planted(
    () => false,
    () => 0,
  ),
): StoreTarget {
  return { name: 'here', url: 'memory:', store }
}

async function measured(
  fields: object,
  stores: readonly StoreTarget[] = [target()],
  input: Partial<StudyInput<ConsistencyConfig, ConsistencyCell>> = {},
): Promise<ConsistencyResult> {
  return runStudy(consistency, {
    config: await configOf(fields),
    stores,
    data: synthetic({ seed: 1 }),
    ...input,
  })
}

describe('levels', () => {
  test.each([
    ['strong,eventual', 'strong eventual'],
    ['write:quorum/read:one, strong,strong', 'write:quorum/read:one strong'],
  ])('%s are pairs', (text, pairs) => {
    expect(parseLevels(text).map(pairText).join(' ')).toBe(pairs)
  })

  test.each([
    ['strong,', '--levels: a level is missing. Write levels like strong,eventual or write:quorum/read:one.'],
    ['read:one', "--levels: 'read:one' is not a level."],
  ])('%s is refused', (text, message) => {
    expect(() => parseLevels(text)).toThrow(message)
  })

  test('are strong and eventual where both are declared, or else all that are declared', async () => {
    const pairsWith = async (levels: readonly string[]): Promise<readonly string[]> => {
      const inner = memory()
      const store = { ...inner, capabilities: { ...inner.capabilities, consistency: levels } }
      const cells = plan({ config: await configOf({}), stores: [target(store)], caches: [], points: [] })
      return [...new Set(cells.map(({ pair }) => pairText(pair)))].toSorted()
    }
    expect(await pairsWith(['one', 'eventual', 'strong'])).toEqual(['eventual', 'strong'])
    expect(await pairsWith(['strong', 'replicated'])).toEqual(['replicated', 'strong'])
    expect(await pairsWith([])).toEqual(['default'])
  })

  test.each([
    [
      { levels: parseLevels('write:quorum/read:strong') },
      target(),
      "here does not declare the consistency level 'quorum': it has strong, eventual.",
    ],
    [
      { levels: parseLevels('strong') },
      target({ ...memory(), capabilities: { ...memory().capabilities, consistency: [] } }),
      "here does not declare the consistency level 'strong': it declares none, so leave --levels out.",
    ],
    [
      { delays: [0, 900], horizon: 800 },
      target(),
      'The last delay (900 ms) lies beyond the horizon (800 ms).',
    ],
    [{ valueSize: 10 }, target(), 'Values need 16 bytes or more'],
    [
      {},
      {
        ...target(),
        readers: [1, 2].map(() => ({ name: 'a', url: 'redis://a', opener: () => undefined as never })),
      },
      "here has two readers with the name 'a'.",
    ],
  ])('%# are refused before anything is sent', async (fields, store, message) => {
    await expect(measured(fields, [store])).rejects.toThrow(message)
  })
})

test('reads and writes are measured at each level and number of callers, in turns', async () => {
  const levels = new Set<string>()
  const inner = planted(
    () => false,
    () => 0,
  )
  const store: Store<Bytes> = {
    ...inner,
    read: (reads, call) => (levels.add(`read ${call.consistency}`), inner.read(reads, call)),
    write: (mutations, call) => (levels.add(`write ${call.consistency}`), inner.write(mutations, call)),
  }
  const result = await measured({ levels: parseLevels('write:strong/read:eventual,default'), runs: 3 }, [
    target(store),
  ])
  expect(result.rates.map(({ pair, callers, rate }) => `${pair} ${callers} ${rate.runs.length}`)).toEqual([
    'write:strong/read:eventual 1 3',
    'default 1 3',
    'write:strong/read:eventual 4 3',
    'default 4 3',
  ])
  expect(result.rates.every(({ read, write }) => read !== null && write !== null)).toBe(true)
  expect([...levels].toSorted()).toEqual([
    'read eventual',
    'read undefined',
    'write strong',
    'write undefined',
  ])
})

test('a planted cost of 25 % is found in spite of runs that were slow for both', () => {
  const rate = (pair: string, runs: readonly number[]): LevelRate => ({
    store: 'here',
    condition: 'calm',
    pair,
    callers: 32,
    rate: { runs, mean: 1, halfWidth: null },
    read: null,
    write: null,
    errors: 0,
    firstError: null,
    invalid: [],
  })
  const eventual = [3_500, 1_000, 3_400, 3_600, 500]
  const noise = [1.01, 0.99, 1, 1.02, 0.98]
  const strong = eventual.map((one, index) => one * 0.75 * noise[index]!)
  const told = (rates: readonly LevelRate[]): string => {
    const costs = costsOf(rates)
    return findings({ costs, levels: [], rates: [], stale: [], config: { callers: [32] } } as never)[0]!
  }
  const [cost] = costsOf([rate('strong', strong), rate('eventual', eventual)])
  expect(cost!.costPercent).toBeCloseTo(25, 0)
  expect(cost!.verdict).toBe('slower')
  const sentence =
    /strong does 25\.\d % fewer operations a second than eventual \(95 % interval: 2[345]\.\d % fewer to 2[56]\.\d % fewer\)/
  expect(told([rate('strong', strong), rate('eventual', eventual)])).toMatch(sentence)
  expect(told([rate('eventual', eventual), rate('strong', strong)])).toMatch(sentence)
})

test('a store with one level says so', async () => {
  const result = await measured({ only: ['stale'] }, [target(memory())])
  expect(findings(result)[0]).toBe(
    'here declares one consistency level, strong, so there is nothing to compare it with.',
  )
})

describe('a disturbance', () => {
  test('is brought about and undone in each run, and its output is kept', async () => {
    const result = await measured({
      only: ['stale'],
      runs: 2,
      disturb: 'echo 2',
      undo: 'echo 6 >&2',
    })
    expect(result.stale.map(({ pair, condition }) => `${pair} ${condition}`)).toEqual([
      'strong calm',
      'eventual calm',
      'strong disturbed',
      'eventual disturbed',
    ])
    expect(result.commands.map(({ kind, output }) => [kind, output])).toEqual([
      ['disturb', '2'],
      ['undo', '6'],
    ])
  })

  test('whose command fails ends the run with what it printed, and keeps what was measured', async () => {
    const disturb = 'echo 42 >&2; exit 3'
    const result = await measured({ only: ['stale'], disturb, undo: 'true' })
    expect([result.status, result.stale.map(({ condition }) => condition)]).toEqual([
      'failed',
      ['calm', 'calm'],
    ])
    expect(result.error).toBe(`The command of --disturb failed with exit code 3: ${disturb}. It printed: 42`)
  })

  test('is not brought about again for cells that an earlier start measured', async () => {
    const kept = new Map<string, unknown>()
    const cells: CellStore = {
      read: async (name) => kept.get(name),
      write: async (name, cell) => void kept.set(name, JSON.parse(JSON.stringify(cell))),
    }
    const fields = { only: ['stale'], disturb: 'echo 2', undo: 'true' }
    const first = await measured(fields, [target()], { cells })
    const second = await measured(fields, [target()], { cells })
    expect([first.commands.length, second.commands, second.stale]).toEqual([1, [], first.stale])
    const other = await measured({ ...fields, probes: 6 }, [target()], { cells })
    expect(other.stale[0]!.writes).toBe(6)
  })

  test('needs both commands', async () => {
    await expect(configOf({ disturb: 'true' })).rejects.toThrow('--disturb needs --undo beside it.')
  })
})
