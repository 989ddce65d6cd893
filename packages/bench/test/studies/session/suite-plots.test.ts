import { expect, test } from 'vitest'
import { rowsCsv } from '../../../src/page/result-files.ts'
import type { SessionResult } from '../../../src/studies/session/result.ts'
import { session } from '../../../src/studies/session/study.ts'
import { auctionJob, runJob } from './jobs.ts'

const measured = await runJob(auctionJob)

/** A result of a suite: a job for each of these, with so many interactions a second. */
function suite(
  jobs: readonly (readonly [store: string, parameters: Readonly<Record<string, string>>, rate: number])[],
): SessionResult {
  const [job, target] = [measured.jobs[0]!, measured.targets[0]!]
  return {
    ...measured,
    jobs: jobs.map(([, parameters, mean], i) => ({
      ...job,
      name: `job${i}`,
      parameters,
      rate: { runs: [mean, mean], mean, halfWidth: 0 },
    })),
    targets: jobs.map(([store], i) => ({ ...target, store: `${store} job${i}` })),
  }
}

/** Figure 10 of the paper: groups over stores and ways; the number of items follows from that of groups. */
const groups = suite(
  ['redis', 'postgres'].flatMap((store, s) =>
    ['records', 'native'].flatMap((transactions, t) =>
      [20, 200, 2_000].map(
        (count) =>
          [
            store,
            { transactions, groups: String(count), items: String(8_000 / count) },
            count + 10 * s + t,
          ] as const,
      ),
    ),
  ),
)

test('a suite draws throughput over the parameter of a loop, with a curve for each combination of the others', () => {
  const [table] = session.report.tables(groups)
  expect(table?.name).toBe('suite-throughput')
  expect(table?.columns.filter((name) => !name.includes('half_width'))).toEqual([
    'groups',
    'redis_records_per_s',
    'redis_native_per_s',
    'postgres_records_per_s',
    'postgres_native_per_s',
  ])
  expect(table?.rows.map((row) => row.filter((_, column) => column === 0 || column % 2 === 1))).toEqual([
    [20, 20, 21, 30, 31],
    [200, 200, 201, 210, 211],
    [2_000, 2_000, 2_001, 2_010, 2_011],
  ])
  const own = session.report.figures(groups).filter(({ group }) => group === 'suite')
  expect(own[0]?.series.map(({ name }) => name)).toEqual([
    'redis, records',
    'redis, native',
    'postgres, records',
    'postgres, native',
  ])
  expect(own[0]?.x).toMatchObject({ title: 'groups', scale: 'log' })
  const interactions = measured.targets[0]!.operations.filter(({ count }) => count > 0)
  expect(
    own
      .slice(1)
      .map(({ title }) => title)
      .toSorted(),
  ).toEqual(interactions.map(({ name }) => name).toSorted())
})

test('jobs that no number tells apart stand side by side, each interaction by its number', () => {
  const ways = suite([
    ['redis', { joins: 'each' }, 1],
    ['redis', { joins: 'batch' }, 2],
    ['mariadb', { joins: 'each' }, 3],
  ])
  const [throughput, times] = session.report.figures(ways).filter(({ group }) => group === 'suite')
  expect(
    throughput?.series.map(({ name, table, column }) => [name, table.rows.map((row) => row[column])]),
  ).toEqual([
    ['redis, each', [1, null, null]],
    ['redis, batch', [null, 2, null]],
    ['mariadb, each', [null, null, 3]],
  ])
  const { beside } = session.report.besides(times!, ways)
  expect(beside).toMatch(/<th scope="row">1 [A-Z_]+<\/th>/)
})

test('a parameter may have the name of a dimension', () => {
  const named = suite(
    [1, 2].flatMap((run) =>
      ['x', 'y'].map((store) => ['redis', { run: String(run), store, 'a+b': store }, run] as const),
    ),
  )
  const [table] = session.report.tables(named)
  expect(table?.columns).toEqual([
    'parameter_run',
    'redis_x_x_per_s',
    'redis_x_x_half_width_per_s',
    'redis_y_y_per_s',
    'redis_y_y_half_width_per_s',
  ])
  expect(table?.rows).toEqual([
    [1, 1, 0, 1, 0],
    [2, 2, 0, 2, 0],
  ])
})

test('a parameter may have the name of any column of rows.csv, and no column is there twice', () => {
  const columns = rowsCsv(session.report.rows(groups)).split('\r\n')[0]!.split(',')
  for (const name of [...columns, 'outcome', 'operation']) {
    const parameters = (x: number) => ({ [name]: String(x), other: String(3 - x) })
    const rows = session.report.rows(suite([1, 2].map((x) => ['redis', parameters(x), x] as const)))
    const head = rowsCsv(rows).split('\r\n')[0]!.split(',')
    expect(head.toSorted(), name).toEqual([...new Set(head)].toSorted())
  }
})

test('jobs that differ in no parameter keep curves of their own, and their numbers', () => {
  const hidden = suite(
    [1, 2].flatMap((x) => [100, 900].map((rate) => ['redis', { x: String(x), y: '' }, rate * x] as const)),
  )
  const [table] = session.report.tables(hidden)
  expect(table?.columns.filter((name) => !name.includes('half'))).toEqual([
    'x',
    'redis_1_per_s',
    'redis_2_per_s',
  ])
  expect(table?.rows.map(([x, one, , two]) => [x, one, two])).toEqual([
    [1, 100, 900],
    [2, 200, 1_800],
  ])
  const failed = suite([
    ['redis', { way: 'a', scale: '5' }, 1],
    ['redis', { way: 'b', scale: '' }, 2],
  ])
  const jobs = failed.jobs.map((job, i) => ({ ...job, name: ['1-a', '3-b'][i] ?? '' }))
  const [numbered] = session.report.tables({ ...failed, jobs })
  expect(numbered?.rows.map(([number]) => number)).toEqual([1, 3])
})

test('one job draws no suite', () => {
  expect(session.report.figures(measured).filter(({ group }) => group === 'suite')).toEqual([])
})
