import { nextTurn } from '@unikv/core/platform'
import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/loop/clock.ts'
import { reportPage } from '../../../src/page/page.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { textReport } from '../../../src/page/text-report.ts'
import { type EndedCommand, runCommand } from '../../../src/run/run-command.ts'
import { jobIn } from '../../../src/studies/session/document/job.ts'
import { Monitors, type MonitorTools, readingOf } from '../../../src/studies/session/monitors.ts'
import type { MonitorResult } from '../../../src/studies/session/result.ts'
import { session } from '../../../src/studies/session/study.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import { auctionJob, runJob } from './jobs.ts'

/** Commands such as `70: {"a":1}` take so many milliseconds, and print that; `input` prints what they were given. */
function toolsOf(clock: VirtualClock): MonitorTools {
  const until = (ms: number, signal?: AbortSignal): Promise<void> =>
    Promise.race([
      clock.sleep(ms),
      new Promise<void>((end) => {
        if (signal?.aborted === true) end()
        signal?.addEventListener('abort', () => end(), { once: true })
      }),
    ])
  return {
    now: () => clock.now(),
    pause: (ms, options) => until(ms, options?.signal),
    run: async (command, options): Promise<EndedCommand> => {
      const { input, signal } = options ?? {}
      const [ms = '', text = ''] = command.split(/: (.*)/)
      await until(Number(ms), signal)
      const problem = signal?.aborted === true ? 'was ended by SIGTERM' : undefined
      const printed = text === 'input' ? JSON.stringify(input) : text
      return { problem, printed, output: '', complaint: 'no disk', elapsedMs: 0 }
    },
  }
}

/** What a monitor tells in a run of 3.5 s. */
async function watched(command: string, everyMs = 1_000): Promise<MonitorResult | undefined> {
  const clock = new VirtualClock()
  const monitors = new Monitors(
    [{ name: 'm', command, everyMs }],
    JSON.parse('{"users":10}'),
    {},
    toolsOf(clock),
  )
  await clock.sleep(3_500)
  const [result] = await monitors.end()
  return result
}

test('a monitor tells a number in each turn, from the start of the run to its end', async () => {
  const points = [0, 1, 2, 3].map((second) => [second * 1_000, 7])
  expect(await watched('70: 7')).toEqual({
    name: 'm',
    readings: 4,
    failures: 0,
    problem: null,
    series: [{ name: 'm', points }],
  })
})

test('it gets the parameters, and an object makes a series of each number', async () => {
  expect((await watched('1: input', 2_000))?.series).toEqual([
    { name: 'm users', points: [0, 2_000].map((at) => [at, 10]) },
  ])
})

test('a command that hangs is ended at its next turn, and the one that the run cut off does not count', async () => {
  expect(await watched('60000: 7')).toMatchObject({
    readings: 0,
    failures: 3,
    problem: 'did not end within 1.00 s and was killed; standard error: no disk',
    series: [],
  })
})

test.each([
  ['', 'printed nothing'],
  ['busy', "printed 'busy': it must print a number, or a JSON object of numbers"],
  ['[1]', "printed '[1]'"],
  ['{}', 'printed an empty object'],
  ['{"a":1,"b":"2"}', `printed '"2"' as b`],
  ['1e999', "printed '1e999'"],
  ['{\n"a": nil }', "printed '{…'"],
])('the output %j tells no numbers', (printed, problem) => {
  expect(readingOf('m', printed)).toContain(problem)
})

/** Monitors of real commands after the first turn of each. */
async function firstTurns(commands: Readonly<Record<string, string>>): Promise<readonly MonitorResult[]> {
  let left = Object.keys(commands).length
  const { promise: ended, resolve } = withResolvers()
  const tools: MonitorTools = {
    now: () => 0,
    pause: (_ms, options) =>
      new Promise((end) => {
        if (options?.signal?.aborted === true) end()
        else options?.signal?.addEventListener('abort', () => end())
      }),
    run: (command, options) =>
      runCommand(command, options).finally(() => {
        if (--left === 0) void nextTurn().then(resolve)
      }),
  }
  const list = Object.entries(commands).map(([name, command]) => ({ name, command, everyMs: 1_000 }))
  const monitors = new Monitors(list, { users: '10' }, {}, tools)
  await ended
  return monitors.end()
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

const commands = {
  'load <1m>': 'cat >&2; echo \'{"user": 3, "system": 1.5}\'',
  broken: 'echo "no such disk" >&2; exit 3',
}

test('commands are run by the shell, and tell themselves on their standard error', async () => {
  const [load, broken] = await firstTurns(commands)
  expect(load).toEqual({
    name: 'load <1m>',
    readings: 1,
    failures: 0,
    problem: null,
    series: [
      { name: 'load <1m> user', points: [[0, 3]] },
      { name: 'load <1m> system', points: [[0, 1.5]] },
    ],
  })
  expect(broken).toMatchObject({
    failures: 1,
    problem: 'failed with exit code 3; standard error: no such disk',
  })
})

test('a job has its monitors in each run, and its report has their series and tells of those that failed', async () => {
  const monitor = Object.entries(commands).map(([name, command]) => ({ name, command, every: '1h' }))
  const measured = await runJob({ ...auctionJob, monitors: { monitor } })
  expect([measured.status, measured.error]).toEqual(['complete', null])
  const names = measured.jobs[0]?.runs.map(({ monitors }) => monitors.map(({ name }) => name))
  expect(names).toEqual(Array(2).fill(Object.keys(commands)))
  const monitors = await firstTurns(commands)
  const jobs = measured.jobs.map((job) => ({ ...job, runs: job.runs.map((run) => ({ ...run, monitors })) }))
  const result = { ...measured, jobs }
  expect(parseResult(session, JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify(result)))
  const text = textReport(session, result).replaceAll(/\s+/g, ' ')
  expect(text).toContain(
    'in run 2 the monitor "broken" failed 1 of 1 times. First it failed with exit code 3; standard error: no such disk',
  )
  const page = reportPage(session, result)
  expect(page).toContain('load &lt;1m&gt; system')
  expect(page).not.toContain('<1m>')
  const table = session.report.tables(result).find(({ name }) => name === 'monitor-load-1m-user')
  expect(table?.rows.map(([, value]) => value)).toEqual([3, 3])
  expect(table?.rows[1]?.[0]).toBeGreaterThanOrEqual(1)
})

test('numbers below 0 are drawn, on a page and by gnuplot', async () => {
  const measured = await runJob(auctionJob)
  const points = [-40, 0, 20].map((value, second) => [second * 100, value] as const)
  const monitors = [
    { name: 'drift', readings: 3, failures: 0, problem: null, series: [{ name: 'drift', points }] },
  ]
  const jobs = measured.jobs.map((job) => ({ ...job, runs: job.runs.map((run) => ({ ...run, monitors })) }))
  const result = { ...measured, jobs }
  const page = reportPage(session, result)
  // A mark for each number of each run, for wide screens and for phones.
  expect(page.match(/<title>[^<]*: −40[.]0<[/]title>/g)?.length).toBe(4)
  expect(page.match(/<text class="tick end"[^>]*>−40</g)?.length).toBe(2)
  const script = resultFiles(session, result).get('plots.gp') ?? ''
  const ranges = [...String(script).matchAll(/set output '([^']*)'[^]*?set yrange (.*)/g)]
  const [, rate] = ranges.find(([, file]) => file === 'rate-over-time.svg')?.slice(1) ?? []
  const [, drift] = ranges.find(([, file]) => file === 'monitor-drift.svg')?.slice(1) ?? []
  expect([rate, drift]).toEqual(['[0:*]', '[*:*]'])
})

test.each<[unknown, string]>([
  [{ monitors: { monitr: {} } }, 'monitors.monitr: it is unknown: there must be a list'],
  [{ monitors: [{ name: 'a' }] }, 'monitors.0.command: there must be either a command or statistics: true'],
  [
    { monitors: [{ name: 'a', command: 'a', every: '5ms' }] },
    'monitors.0.every: it must be a time from 100ms to 24h',
  ],
  [{ monitors: Array(2).fill({ name: 'a', command: 'a' }) }, 'monitors.1.name: there are two monitors'],
])('%j is refused by its place', (changed, message) => {
  expect(() => jobIn({ ...auctionJob, ...(changed as object) }, 'job.xml')).toThrow(message)
})
