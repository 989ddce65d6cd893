import { fileURLToPath } from 'node:url'
import { type Bytes, type Store, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { synthetic } from '../../src/data/open-data.ts'
import { textReport } from '../../src/page/text-report.ts'
import { configured } from '../../src/studies/evaluation/document/configure.ts'
import { evaluationDocument } from '../../src/studies/evaluation/document/document.ts'
import { evaluation } from '../../src/studies/evaluation/evaluation.ts'
import { runStudy } from '../../src/study/run-study.ts'
import { studyConfig } from '../../src/study/study-config.ts'

const file = fileURLToPath(new URL('../studies/run/fixtures/here.yaml', import.meta.url))

/** A primary whose only reader is a copy that is some single writes behind. */
function behind(writes: number): Store<Bytes> {
  const [primary, copy] = [memory(), memory()]
  const late: Parameters<Store<Bytes>['write']>[] = []
  const write: Store<Bytes>['write'] = (mutations, options) => {
    const isSingle = mutations.length === 1 && mutations[0]?.type === 'set'
    late.push([mutations, options])
    while (late.length > (isSingle ? writes : 0)) void copy.write(...(late.shift() as (typeof late)[number]))
    return primary.write(mutations, options)
  }
  return Object.assign(Object.create(primary) as Store<Bytes>, {
    read: copy.read.bind(copy),
    scan: copy.scan.bind(copy),
    write,
  })
}

/** A store that takes writes, and whose listings of a patient fail. */
function silent(): Store<Bytes> {
  const store = memory()
  const scan: Store<Bytes>['scan'] = (range, options) => {
    if (range.pageSize === 5) throw new StoreError('UNAVAILABLE', 'it does not answer')
    return store.scan(range, options)
  }
  return Object.assign(Object.create(store) as Store<Bytes>, { scan })
}

const document = (workload: object, operations: string) => ({
  name: 'Health records',
  candidates: { current: 'memory:', behind: 'memory:' },
  workload,
  loads: { both: operations },
  sweep: { callers: [4], runs: 2, duration: '1h', warmup: '0s', operations: 400 },
  scenarios: { 'everybody sees it': { measure: 'stale < 0.1%', load: 'both', callers: 4 } },
})

async function configOf(given: object): Promise<ReturnType<typeof evaluation.config.parse>> {
  const candidates = ['current', 'behind'].map((name) => {
    return { name, kind: name, title: name, state: 'measured', reasons: [], hasEventual: false } as const
  })
  return studyConfig(evaluation, (await configured(evaluationDocument(given, file), file, candidates)).config)
}

test('a store whose readers do not see the latest observations misses a scenario about stale reads', async () => {
  const result = await runStudy(evaluation, {
    config: await configOf(document({ module: 'ehr.mjs' }, 'recent=80,observe=20')),
    stores: [
      { name: 'current', url: 'memory:', store: memory() },
      { name: 'behind', url: 'memory:', store: behind(20) },
    ],
    data: synthetic({ seed: 1 }),
  })
  expect([result.status, result.error]).toEqual(['complete', null])
  const [current, other] = result.scenarios
  expect([current?.found, current?.holds, other?.holds]).toEqual([0, true, false])
  expect(other?.found).toBeGreaterThan(0.1)
  const text = textReport(evaluation, result).replace(/\s+/g, ' ')
  expect(text).toMatch(
    /behind.*It misses “everybody sees it”: [\d.]+ % with 4 callers in both, where stale < 0.1% is wanted/,
  )
})

test('reads that are never answered do not meet it: the figure is missing', async () => {
  const result = await runStudy(evaluation, {
    config: await configOf(document({ module: 'ehr.mjs' }, 'recent=80,observe=20')),
    stores: [
      { name: 'current', url: 'memory:', store: memory() },
      { name: 'behind', url: 'memory:', store: silent() },
    ],
    data: synthetic({ seed: 1 }),
  })
  const other = result.curves.find(({ store }) => store === 'behind')?.points[0]
  expect([other?.errors !== 0, (other?.rate.mean ?? 0) > 0]).toEqual([true, true])
  expect(result.scenarios.map(({ found, holds }) => [found, holds])).toEqual([
    [0, true],
    [null, false],
  ])
  const text = textReport(evaluation, result).replace(/\s+/g, ' ')
  expect(text).toContain('✗ missing')
  // One candidate has told.
  expect(text).not.toContain('Stale reads, and')
  expect(text).toContain('The price of strong consistency.')
})

test.each([
  ['built-in operations', { preset: 'a' }, 'read=80,update=20'],
  ['a module whose operations do not tell', { module: 'visits.mjs' }, 'visit=100'],
])('stale reads cannot be asked of %s', async (_, workload, operations) => {
  await expect(configOf(document(workload, operations))).rejects.toThrow(
    'scenarios.everybody sees it.measure: stale < 0.1%: no operation of the load both tells stale reads',
  )
})
