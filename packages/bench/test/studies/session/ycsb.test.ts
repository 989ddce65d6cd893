import { expect, test } from 'vitest'
import { reportPage } from '../../../src/page/page.ts'
import { textReport } from '../../../src/page/text-report.ts'
import type { SessionConfig } from '../../../src/studies/session/config.ts'
import { jobIn } from '../../../src/studies/session/document/job.ts'
import { session } from '../../../src/studies/session/study.ts'
import { runJob } from './jobs.ts'

const measure = { rampUp: '0s', duration: '300ms', runs: '2' }
const job = (ycsb: object, others: object = {}) => ({
  database: { url: 'memory:' },
  workload: { ycsb, measure, ...others },
})

test('a workload of YCSB runs in the place of sessions, with its records and threads, and with events', async () => {
  const properties = {
    fieldcount: '2',
    fieldlength: '50',
    requestdistribution: 'uniform',
    dataintegrity: 'true',
  }
  const ycsb = { workload: 'A', records: '500', numOfThreads: '3', properties }
  const result = await runJob({ ...job(ycsb), events: [{ at: '50ms', command: 'true' }] })
  expect([result.status, result.error]).toEqual(['complete', null])
  const [target] = result.targets
  expect(target?.load.records).toBe(500)
  expect([target?.keyLaw, target?.lengthLaw]).toEqual(['uniform', '100'])
  expect(target?.operations.map(({ name, count }) => [name, count > 0])).toEqual([
    ['read', true],
    ['update', true],
  ])
  expect(target?.runs.every(({ checks }) => checks?.wrong === 0 && checks.checked > 0)).toBe(true)
  expect(result.jobs[0]?.runs.map(({ events }) => events.length)).toEqual([1, 1])
  const text = textReport(session, result)
  expect(text).not.toContain('Sessions of all runs')
  expect(reportPage(session, result)).toContain('ycsb-a: 50 % read, 50 % update')
})

test('the defaults are those of bench run, with one thread', () => {
  const { config, name } = jobIn(job({ workload: 'd' }), 'job.xml')
  const { operations, callers, benchmark } = config as SessionConfig
  expect([name, benchmark, callers]).toEqual(['ycsb', 'ycsb', 1])
  expect(operations).toMatchObject({ name: 'ycsb-d', records: 10_000, mix: { read: 0.95, insert: 0.05 } })
})

test.each<[object, string]>([
  [job({ workload: 'g' }), 'job.xml, workload.ycsb.workload: it must be a, b, c, d, e or f'],
  [job({}), 'workload.ycsb.workload: it is missing'],
  [
    job({ workload: 'a', records: '0' }),
    'workload.ycsb.records: it must be a whole number from 1 to 1000000000',
  ],
  [
    job({ workload: 'a', properties: { threadcount: 3 } }),
    'workload.ycsb.properties.threadcount: use numOfThreads in its place',
  ],
  [
    job({ workload: 'a', properties: { requestdistributon: 'uniform' } }),
    'workload.ycsb.properties: Properties that change nothing here: requestdistributon (unknown: did you mean requestdistribution?)',
  ],
  [job({ workload: 'a', properties: { fieldlength: 'x' } }), 'workload.ycsb.properties: '],
  [
    { ...job({ workload: 'a' }), database: { url: 'memory:', retry: 'default' } },
    'database.retry: it says nothing of workload.ycsb: leave it out',
  ],
  [
    job({ workload: 'a' }, { session: { benchmark: 'auction' } }),
    'workload.ycsb: there is session, too: leave one of them out',
  ],
])('%j is refused by its place', (wrong, message) => {
  expect(() => jobIn(wrong, 'job.xml')).toThrow(message)
})

test('an operation that the store cannot do is refused before anything is sent', async () => {
  const { config } = jobIn(job({ workload: 'a', records: 5 }), 'job.xml')
  const operations = { ...(config as SessionConfig).operations, mix: { 'batch-read': 1 } }
  const subject = { config: { ...(config as SessionConfig), operations }, stores: [], caches: [], points: [] }
  expect(() => session.check(subject as never)).toThrow('A batch of 10 needs as many records')
})
