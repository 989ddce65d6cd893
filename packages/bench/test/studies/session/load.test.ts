import type { Bytes, Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { reportPage } from '../../../src/page/page.ts'
import { textReport } from '../../../src/page/text-report.ts'
import { jobIn } from '../../../src/studies/session/document/job.ts'
import { session } from '../../../src/studies/session/study.ts'
import { runStudy } from '../../../src/study/run-study.ts'
import { studyConfig } from '../../../src/study/study-config.ts'

const job = (load: object, measure: object = { runs: '2' }) => ({
  database: { url: 'memory:' },
  workload: { load, measure },
})

test('each run loads every record once into an empty place, in batches', async () => {
  const store = memory()
  const written: number[] = []
  const deleted: number[] = []
  const counted: Store<Bytes> = {
    ...store,
    read: (...call) => store.read(...call),
    scan: (...call) => store.scan(...call),
    close: () => store.close(),
    write: (mutations, options) => {
      const records = mutations.filter(({ key }) => key.includes('user'))
      written.push(records.filter((one) => 'value' in one).length)
      deleted.push(records.filter((one) => !('value' in one)).length)
      return store.write(mutations, options)
    },
  }
  const given = job({ records: '2000', size: '100', batch: '50', numOfThreads: '4' })
  const result = await runStudy(session, {
    config: studyConfig(session, jobIn(given, 'job.xml').config),
    stores: [{ name: 'memory', url: 'memory:', store: counted }],
    data: synthetic({ seed: 1 }),
  })
  expect([result.status, result.error]).toEqual(['complete', null])
  const [target] = result.targets
  expect(target?.runs.map(({ operations, errors }) => [operations, errors])).toEqual([
    [40, 0],
    [40, 0],
  ])
  expect(target?.operations.map(({ name, count }) => [name, count])).toEqual([['batch-insert', 80]])
  const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0)
  expect([sum(written), sum(deleted)]).toEqual([4_000, 4_000])
  expect(Math.max(...written)).toBeGreaterThanOrEqual(50)
  const [{ unit, rate } = {}] = result.jobs
  expect([unit, rate?.mean]).toEqual(['records', expect.closeTo(50 * (target?.rate.mean ?? 0), 3)])
  expect(textReport(session, result)).toMatch(/job +records\/s/)
  expect(textReport(session, result)).toMatch(/records a second were loaded, 50 in\s+each call/)
  expect(reportPage(session, result)).toContain('2, each to its last record')
})

test.each<[object, string]>([
  [job({}), 'job.xml, workload.load.records: it is missing'],
  [job({ records: 250 }), 'workload.load.records: it must be a multiple of batch (100), got 250'],
  [job({ records: 100, size: 'big' }), 'job.xml, workload.load.size: '],
  [
    job({ records: 100 }, { duration: '5s' }),
    'workload.measure.duration: it says nothing of workload.load: leave it out',
  ],
])('%j is refused by its place', (wrong, message) => {
  expect(() => jobIn(wrong, 'job.xml')).toThrow(message)
})
