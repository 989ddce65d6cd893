import { describe, expect, test } from 'vitest'
import { secondsOf } from '../../../src/driven/rows.ts'
import { reportPage } from '../../../src/page/page.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { textReport } from '../../../src/page/text-report.ts'
import { benchmarks } from '../../../src/studies/session/check.ts'
import { jobIn } from '../../../src/studies/session/document/job.ts'
import { session } from '../../../src/studies/session/study.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import { auctionJob, runJob } from './jobs.ts'

describe('a job', () => {
  test('runs sessions of the auction, and its data is consistent in the end', async () => {
    const result = await runJob(auctionJob)
    expect([result.status, result.error]).toEqual(['complete', null])
    const [target] = result.targets
    const [job] = result.jobs
    // A slow machine comes to few of them.
    expect(target?.operations.length).toBeGreaterThan(0)
    for (const { name } of target?.operations ?? [])
      expect(Object.keys(benchmarks.auction.interactions)).toContain(name)
    expect(target?.rate.runs).toHaveLength(2)
    expect([job?.unit, job?.rate]).toEqual(['interactions', target?.rate])
    expect(target?.runs.map(({ countedMs }) => countedMs)).toEqual([200, 200])
    expect(job?.problems).toEqual([])
    for (const [at, { sessions, transactions }] of (job?.runs ?? []).entries()) {
      expect(sessions.begun).toBeGreaterThanOrEqual(8)
      // Each item that was put up for sale is a transaction.
      const sold = target?.runs[at]?.kinds.filter(({ name }) => name.startsWith('SELL_')) ?? []
      const count = sold.reduce((sum, { service }) => sum + service.count, 0)
      expect(sold).toHaveLength(2)
      expect(transactions['committed']).toBeGreaterThanOrEqual(count)
    }
    expect(parseResult(session, JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify(result)))
    const text = textReport(session, result)
    expect(text).toContain('the data is consistent in the end')
    expect(text).toContain('Transactions of all runs')
    expect(reportPage(session, result)).toContain('Result modes')
  })

  test.each([{ newRatio: '0.5' }, { first: '500', count: '3' }])(
    'is consistent in the end with users who were not there before: %j',
    async (users) => {
      const session = { ...auctionJob.workload.session, users }
      const result = await runJob({ ...auctionJob, workload: { ...auctionJob.workload, session } })
      expect(result.jobs[0]?.problems).toEqual([])
    },
  )

  test('an event happens once in each run, with the parameters on its standard input', async () => {
    const events = { event: { at: '50ms', command: 'cat' } }
    const { jobs } = await runJob({ ...auctionJob, events })
    const happened = jobs.flatMap(({ runs }) => runs.flatMap((one) => one.events))
    const told = happened.map(({ output, problem }) => [output, problem])
    expect(told).toEqual(Array(2).fill(['{"userNum":"10"}', null]))
    expect(happened.every(({ atMs }) => Math.round(atMs) >= 50)).toBe(true)
  })

  test('figures over time show its place, after the seconds of the runs before', async () => {
    const events = {
      event: { at: '50ms', command: 'echo <add> && true # and a comment that is far too long' },
    }
    const result = await runJob({ ...auctionJob, events })
    const [time] = session.report.figures(result).filter(({ group }) => group === 'time')
    const [first, second] = time?.moments ?? []
    expect(time?.moments).toHaveLength(2)
    expect(first?.at).toBeCloseTo((result.jobs[0]?.runs[0]?.events[0]?.atMs ?? 0) / 1_000)
    const before = result.targets[0]?.runs.slice(0, 1).map(secondsOf)[0] ?? 0
    expect(before).toBeGreaterThan(0)
    expect(second?.at).toBeCloseTo(before + (result.jobs[0]?.runs[1]?.events[0]?.atMs ?? 0) / 1_000)
    const page = reportPage(session, result)
    const table = session.report.summary(result).find(({ title }) => title === 'Events')
    expect(table?.rows[0]?.at(-1)).toBe('echo <add> && true # and a comment that…')
    expect(page).toContain('echo &lt;add&gt; &amp;&amp; true # and a comment that…</text>')
    // Twice in each of two figures, for wide screens and for phones.
    expect(page.match(/<g class="moment">/g)).toHaveLength(8)
    expect(resultFiles(session, result).get('plots.gp')).toMatch(/set arrow from first [\d.]+, graph 0 to/)
  })

  test('the setup tells model and parameters, and interactions that no session came to have no row', async () => {
    const parameters = { SET_NUM: '2', CONTENT_LENGTH: { random: 'int', min: '10', max: '20' } }
    const result = await runJob({
      database: { url: 'memory:' },
      workload: {
        session: { benchmark: 'micro', model: 'shared-put', parameters },
        measure: auctionJob.workload.measure,
      },
    })
    const text = textReport(session, result, 200)
    expect(text).toContain('data: benchmark micro; seed 42')
    expect(text).toContain('benchmark: micro, model shared-put, SET_NUM 2, CONTENT_LENGTH int from 10 to 20')
    expect(text).toContain('sessions: 1 at the same time, 1 caller\n')
    expect(text).toMatch(/^memory +UPDATE_SHARED /m)
    expect(text).not.toContain('GET_ITEM')
    expect(text).not.toContain('parameters:')
    const page = reportPage(session, result)
    expect(page).toContain('<p class="lead">benchmark micro · 2 runs a point')
    expect(page).not.toContain('GET_ITEM')
  })

  test('users of their own never conflict; all on one group do', async () => {
    const micro = (own: object) => ({
      database: { url: 'memory:', transactions: 'records' },
      workload: { session: { benchmark: 'micro', ...own }, measure: auctionJob.workload.measure },
    })
    const users = { partition: true, count: 64 }
    const personal = {
      model: 'item-put',
      sessions: 8,
      users,
      parameters: { USER_NUM: 64, ITEMS_PER_USER: 4 },
    }
    const shared = { model: 'shared-put', sessions: 8, parameters: { SET_NUM: 1, ITEMS_PER_SET: 4 } }
    const conflicts = async (job: object) => {
      const { jobs } = await runJob(job)
      return jobs[0]?.runs.reduce((sum, { transactions }) => sum + (transactions['conflicts'] ?? 0), 0)
    }
    expect(await conflicts(micro(personal))).toBe(0)
    expect(await conflicts(micro(shared))).toBeGreaterThan(0)
  })
})

test('transitions as in Figure 6 name interactions in any case and with any separator', () => {
  const Transitions = {
    START: { HOME: null },
    HOME: { 'SELL.AUCTION.ITEM': { prob: '0.2' }, END: { prob: '0.1' } },
    'SELL.AUCTION.ITEM': { HOME: null },
  }
  const own = { benchmark: 'auction', Transitions }
  const { config } = jobIn({ ...auctionJob, workload: { ...auctionJob.workload, session: own } }, 'job.xml')
  expect((config as { model: { transitions: object } }).model.transitions).toEqual({
    START: [{ next: 'HOME' }],
    HOME: [
      { next: 'SELL_AUCTION_ITEM', prob: 0.2 },
      { next: 'END', prob: 0.1 },
    ],
    SELL_AUCTION_ITEM: [{ next: 'HOME' }],
  })
})

test.each<[string, object]>([
  ['weights', { START: 'HOME', HOME: { SELL_SALE_ITEM: 2, END: '1' }, SELL_SALE_ITEM: ['HOME'] }],
  [
    'lists',
    {
      START: ['HOME'],
      HOME: [
        { next: 'SELL_SALE_ITEM', weight: 2 },
        { next: 'END', weight: 1 },
      ],
      SELL_SALE_ITEM: 'HOME',
    },
  ],
])('transitions may be written shorter, as %s', (_form, Transitions) => {
  const own = { benchmark: 'auction', Transitions }
  const { config } = jobIn({ ...auctionJob, workload: { ...auctionJob.workload, session: own } }, 'job.xml')
  expect((config as { model: { transitions: object } }).model.transitions).toEqual({
    START: [{ next: 'HOME' }],
    HOME: [
      { next: 'SELL_SALE_ITEM', weight: 2 },
      { next: 'END', weight: 1 },
    ],
    SELL_SALE_ITEM: [{ next: 'HOME' }],
  })
})

const { workload } = auctionJob
/** A job with sessions of this part. */
const sessions = (part: object) => ({ workload: { session: { benchmark: 'auction', ...part } } })
test.each<[object, string]>([
  [{ database: {} }, 'job.xml, database.url'],
  [{ databse: {} }, 'job.xml, databse: a job has the parts'],
  [
    { database: { url: 'memory:', access: 'transactions', transactions: 'native' } },
    'job.xml, database.transactions: access: transactions keeps each entity in a record',
  ],
  [{ workload: { ...workload, sesion: {} } }, 'job.xml, workload.sesion: it is unknown; known are session'],
  [{ workload: { session: { benchmark: 'tpcc' } } }, 'job.xml, workload.session.benchmark'],
  [{ workload: { session: { benchmark: 'auction', model: 'nosuch' } } }, "there is no model 'nosuch'"],
  [{ workload: { session: { benchmark: 'micro' } } }, 'a model or Transitions must be given; micro has item'],
  [
    { workload: { ...workload, measure: { duration: 'soon' } } },
    'workload.measure.duration: it must be a time',
  ],
  [
    { workload: { session: { benchmark: 'micro', Transitions: { START: JSON.parse('{"__proto__":1}') } } } },
    'job.xml, workload.session.Transitions.START.__proto__: this name cannot be used',
  ],
  [{ cluster: { nodes: '3' } }, "job.xml, cluster: there is no 'nodes' here"],
  [{ cluster: { threads: '2', workers: '2' } }, 'job.xml, cluster.workers: there are threads, too'],
  [{ cluster: { workers: '2' } }, 'job.xml, cluster.workers: they need a `queue`'],
  [{ cluster: { queue: 'redis://h' } }, 'job.xml, cluster.queue: it needs `workers`'],
  [{ cluster: { threads: '2', wait: '5s' } }, 'job.xml, cluster.wait: it needs `workers`'],
  [{ report: { format: 'html' } }, 'job.xml, report: it must be empty'],
  [
    { workload: { session: { benchmark: 'auction', sessions: 4, users: { count: 3, partition: true } } } },
    'job.xml, workload.session: There are 3 users for 4 sessions',
  ],
  [
    { workload: { session: { benchmark: 'auction', parameters: { USER_NUM: '0' } } } },
    'job.xml, workload.session: USER_NUM must be a whole number of at least 1, got 0',
  ],
  [
    {
      workload: {
        session: { benchmark: 'auction', parameters: { USER_NUM: { random: 'int', min: 1, max: 5 } } },
      },
    },
    'USER_NUM must be one number',
  ],
  [
    { workload: { session: { benchmark: 'auction', sessions: 'all' } } },
    "it must be a whole number from 1 to 100000, got 'all'",
  ],
  [sessions({ Transitions: { START: ['HOME', 'HOME'] } }), 'it must be a state, a list of states, or'],
  [
    sessions({ Transitions: { START: { HOME: { prb: 1 } } } }),
    "Transitions.START.HOME: there is no 'prb' here",
  ],
  [sessions({ limits: { maxcount: 5 } }), "limits: there is no 'maxcount' here. Did you mean 'maxCount'?"],
  [sessions({ users: 50 }), 'users: it must be an object with first, count, newRatio, partition, got 50'],
  [sessions({ parameters: [5] }), 'parameters: it must be parameters by their names, got an Array'],
  [
    { monitors: { name: 'x' } },
    'monitors.name: it is unknown: there must be a list, or an element monitor for each',
  ],
  [{ name: true }, 'job.xml, name: it must be a text'],
  [{ events: { event: { at: '1s' } } }, 'job.xml, events.0.command'],
  [{ database: { url: 'redis://${NO_SUCH}' } }, 'the variable NO_SUCH of the environment is not set'],
])('%j is refused by its place', (changed, message) => {
  expect(() => jobIn({ ...auctionJob, ...changed }, 'job.xml')).toThrow(message)
})

test('an event after the end of a run is refused before anything is sent', async () => {
  const events = [{ at: '1s', command: 'true' }]
  await expect(runJob({ ...auctionJob, events })).rejects.toThrow(
    'An event is at 1 s, and a run ends after 0.2 s',
  )
})

describe('a wrong value is told by its place in the document', () => {
  const measures: readonly (readonly [measure: object, told: string])[] = [
    [{ duration: '0' }, "measure.duration: it must be a time from 1ms to 24h, got '0'"],
    [{ duration: '1e3s' }, "measure.duration: it must be a time such as 500ms, 30s or 5m, got '1e3s'"],
    [{ duration: '25h' }, "measure.duration: it must be a time from 1ms to 24h, got '25h'"],
    [{ rampUp: '99999999999h' }, "measure.rampUp: it must be a time from 0s to 24h, got '99999999999h'"],
    [{ timeout: '0s' }, "measure.timeout: it must be a time from 1ms to 24h, got '0s'"],
    [{ seed: '1.5' }, 'measure.seed: it must be a whole number from 0 to 4294967295, got 1.5'],
    [{ seed: '-1' }, 'measure.seed: it must be a whole number from 0 to 4294967295, got -1'],
    [{ runs: '1001' }, 'measure.runs: it must be a whole number from 1 to 1000, got 1001'],
  ]
  test.each(measures)('%j', (measure, told) => {
    const workload = { ...auctionJob.workload, measure }
    expect(() => jobIn({ ...auctionJob, workload }, 'job.yaml')).toThrow(`job.yaml, workload.${told}.`)
  })

  test('also of a number of threads that make the data', () => {
    const workload = { ...auctionJob.workload, populate: { threads: 10_001 } }
    expect(() => jobIn({ ...auctionJob, workload }, 'job.yaml')).toThrow(
      'job.yaml, workload.populate.threads: it must be a whole number from 1 to 10000, got 10001.',
    )
  })

  test('but a weight may be per cent, as in a mix of operations', () => {
    const given = (half: unknown, weight: unknown) => {
      const Transitions = { START: { SELL_AUCTION_ITEM: { weight }, END: half }, SELL_AUCTION_ITEM: 'END' }
      const workload = { ...auctionJob.workload, session: { ...auctionJob.workload.session, Transitions } }
      return jobIn({ ...auctionJob, workload }, 'job.yaml').config
    }
    expect(given('50%', '50 %')).toEqual(given(50, 50))
    expect(() => given('half', 1)).toThrow('workload.session.Transitions.START')
  })

  test('also of a state that has two rows by two spellings of its name', () => {
    const Transitions = {
      START: { 'sell.auction.item': {} },
      'sell-auction-item': { END: {} },
      SELL_AUCTION_ITEM: { START: {} },
    }
    const session = { ...auctionJob.workload.session, Transitions }
    const workload = { ...auctionJob.workload, session }
    expect(() => jobIn({ ...auctionJob, workload }, 'job.yaml')).toThrow(
      'job.yaml, workload.session.Transitions.SELL_AUCTION_ITEM: there are two rows of SELL_AUCTION_ITEM.',
    )
  })

  test('and a timeout with a part of a millisecond is rounded up', () => {
    const workload = { ...auctionJob.workload, measure: { timeout: '1.0005s' } }
    expect(jobIn({ ...auctionJob, workload }, 'job.yaml').config).toMatchObject({ timeoutMs: 1_001 })
  })
})
