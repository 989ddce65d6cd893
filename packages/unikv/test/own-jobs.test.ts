import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ResultOf } from '@unikv/bench/studies'
import { expect, test } from 'vitest'
import { inProcess, type Outcome, root } from './command-line.ts'

const example = (name: string): string => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url))

/** A job with servers, an event, and a number that is watched, all of which write what they did. */
const jobOf = (workload: object, database: object = {}): object => ({
  database: {
    url: 'lmdb:./own-job',
    start: 'echo start >> own.log',
    stop: 'echo stop >> own.log',
    ...database,
  },
  workload: { measure: { rampUp: '0s', duration: '400ms', runs: 1 }, ...workload },
  events: [{ at: '100ms', command: 'echo event >> own.log' }],
  monitors: [{ name: 'one', command: 'echo 1', every: '200ms' }],
})

async function bench(name: string, job: object): Promise<Outcome> {
  await writeFile(join(root, `${name}.json`), JSON.stringify(job))
  await writeFile(join(root, 'own.log'), '')
  return inProcess(['bench', 'session', `${name}.json`, '--out', name, '--quiet'])
}

async function resultOf(name: string): Promise<ResultOf<'session'>> {
  return JSON.parse(await readFile(join(root, name, name, 'result.json'), 'utf8')) as ResultOf<'session'>
}

test('a benchmark of a module runs in a job, in two threads, and its data is checked in the end', async () => {
  const session = {
    benchmark: example('dist/own-benchmark.js'),
    numOfThreads: 4,
    parameters: { BRANCHES: 3 },
  }
  const job = { ...jobOf({ session }, { retry: 'optimistic' }), cluster: { threads: 2 } }
  const { code, out, err } = await bench('bank', job)
  expect(code, err).toBe(0)
  expect(await readFile(join(root, 'own.log'), 'utf8')).toBe('start\nevent\nstop\n')
  expect(out.replace(/\n {2}/g, ' ')).toMatch(
    /^access: that of .*own-benchmark\.js, transactions auto, retry optimistic$/m,
  )
  const { config, jobs, targets } = await resultOf('bank')
  expect(config).toMatchObject({ benchmark: 'bank', module: { sha256: expect.any(String) } })
  expect(targets[0]!.operations.map(({ name }) => name)).toEqual(expect.arrayContaining(['VIEW', 'TRANSFER']))
  const [{ problems, runs, name } = { problems: null, runs: [], name: '' }] = jobs
  expect([name, problems]).toEqual(['bank', []])
  expect(runs[0]!.transactions['committed']).toBeGreaterThan(0)
  expect(runs[0]!.monitors[0]!.readings).toBeGreaterThan(0)
})

test('operations of a module run in a job, between its setup and its teardown', async () => {
  const module = { file: example('dist/own-workload.js'), records: 40, numOfThreads: 3 }
  const { code, err } = await bench('shop', jobOf({ module }))
  expect(code, err).toBe(0)
  expect(await readFile(join(root, 'own.log'), 'utf8')).toBe('start\nevent\nstop\n')
  const { config, jobs, targets } = await resultOf('shop')
  expect(config.operations).toMatchObject({ name: 'shop', records: 40 })
  expect(jobs[0]).toMatchObject({ name: 'shop', unit: 'operations' })
  expect(targets[0]!.operations.map(({ name }) => name)).toEqual(expect.arrayContaining(['browse', 'buy']))
})

test.each([
  ['no-such.mjs', {}, 'workload.session.benchmark: The workload module no-such.mjs cannot be read (ENOENT).'],
  [example('own-workload.ts'), {}, 'has operations, and no sessions. Export sessionWorkload({ … })'],
  [
    'bank',
    {},
    'workload.session.benchmark: it must be auction, micro, or the path of a module such as ./mine.ts.',
  ],
  [example('own-benchmark.ts'), { joins: 'each' }, 'database.joins: the benchmark of '],
])('the benchmark %s beside %o is refused at its place', async (benchmark, database, told) => {
  const { code, err } = await bench('wrong', jobOf({ session: { benchmark } }, database))
  expect(code).toBe(2)
  expect(err).toContain('unikv: wrong.json:1, ')
  expect(err).toContain(told)
})
