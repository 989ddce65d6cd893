import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { closedLoop } from '@unikv/bench/loop'
import { fastRandom, zipfAlias, zipfRejection } from '@unikv/bench/statistics'
import { keyValue } from '@unikv/core'
import { Histogram } from '@unikv/core/histogram'
import { type Answer, noOpStore } from './measure/no-op-store.ts'
import type { OpenLoopOutcome, OpenLoopTask } from './measure/open-loop-worker.ts'
import { atStore, throughKeyValue } from './measure/read-mostly.ts'
import { printTable, writeResults } from './measure/report.ts'
import { median } from './measure/rounds.ts'

// Is the workload generator faster than what it measures? Operations a second of one core against stores that do
// nothing, the lag of open loops, and the cost of the parts. Medians of interleaved rounds. The work of a core is counted
// by the CPU time that the process took (garbage collection included), so that other work on the machine does not
// count against it; the rate by the clock on the wall is in the JSON too.

const rounds = Number(process.env['ROUNDS'] ?? 5)
const durationMs = Number(process.env['DURATION_MS'] ?? 1_000)
const answers: readonly Answer[] = ['at once', 'by promise', 'after setImmediate']

interface ClosedRow {
  readonly answer: Answer
  readonly workers: number
  readonly path: 'KeyValue' | 'store'
  /** Millions of operations in a second of CPU time. */
  readonly perCpuSecond: number
  /** Millions of operations in a second. */
  readonly perSecond: number
  readonly rounds: readonly Speed[]
}

type Speed = Pick<ClosedRow, 'perCpuSecond' | 'perSecond'>

async function closedLoops(): Promise<ClosedRow[]> {
  const cases = answers.flatMap((answer) =>
    [1, 64].flatMap((workers) =>
      (['KeyValue', 'store'] as const).map((path) => ({ answer, workers, path, found: [] as Speed[] })),
    ),
  )
  for (let round = 0; round <= rounds; round++) {
    for (let i = 0; i < cases.length; i++) {
      const one = cases[(i + round) % cases.length] as (typeof cases)[number]
      const store = noOpStore(one.answer)
      const work =
        one.path === 'store' ? atStore(store) : throughKeyValue(keyValue(store, [], { coalesce: false }))
      const before = process.cpuUsage()
      const { rate, operations } = await closedLoop(work, { workers: one.workers, durationMs })
      if (round > 0) one.found.push({ perCpuSecond: operations / cpuUs(before), perSecond: rate / 1e6 })
    }
  }
  return cases.map(({ found, ...one }) => ({
    ...one,
    perCpuSecond: median(found.map(({ perCpuSecond }) => perCpuSecond)),
    perSecond: median(found.map(({ perSecond }) => perSecond)),
    rounds: found,
  }))
}

type OpenRow = OpenLoopTask & Omit<OpenLoopOutcome, 'invalid'> & { readonly invalidRounds: number }

async function openLoops(): Promise<OpenRow[]> {
  const tasks = (['spinning', 'timers'] as const).flatMap((pace) =>
    [10_000, 50_000, 200_000].flatMap((rate) =>
      (['KeyValue', 'store'] as const).map(
        (path): OpenLoopTask => ({ rate, durationMs: 2 * durationMs, pace, path }),
      ),
    ),
  )
  const found = tasks.map((): OpenLoopOutcome[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, task] of tasks.entries()) found[i]?.push(await inWorker(task))
  }
  return tasks.map((task, i) => {
    const own = found[i] as OpenLoopOutcome[]
    const middle = (pick: (outcome: OpenLoopOutcome) => number): number => median(own.map(pick))
    return {
      ...task,
      achievedRate: middle((one) => one.achievedRate),
      dropped: middle((one) => one.dropped),
      lagP50Ms: middle((one) => one.lagP50Ms),
      lagP99Ms: middle((one) => one.lagP99Ms),
      lagMaxMs: middle((one) => one.lagMaxMs),
      cpu: middle((one) => one.cpu),
      invalidRounds: own.filter(({ invalid }) => invalid.length > 0).length,
    }
  })
}

async function inWorker(task: OpenLoopTask): Promise<OpenLoopOutcome> {
  // a large young generation: its collections are rare, and last no longer, as next to nothing survives them
  const worker = new Worker(new URL('./measure/open-loop-worker.js', import.meta.url), {
    workerData: task,
    resourceLimits: { maxYoungGenerationSizeMb: 192 },
  })
  const [outcome] = (await once(worker, 'message')) as [OpenLoopOutcome]
  await worker.terminate()
  return outcome
}

interface PartRow {
  readonly part: string
  readonly nanoseconds: number
}

function parts(): PartRow[] {
  const random = fastRandom(1)
  const alias = zipfAlias({ items: 100_000 }, fastRandom(2))
  const rejection = zipfRejection({ items: 100_000 }, fastRandom(3))
  const histogram = new Histogram()
  const candidates: readonly [string, () => number][] = [
    ['random number (xoshiro128**, 53 bits)', () => random.next()],
    ['Zipf, alias table', () => alias.next()],
    ['Zipf, rejection-inversion', () => rejection.next()],
    ['histogram record', () => (histogram.record(random.uint32() % 1e6), 0)],
    ['clock (performance.now)', () => performance.now()],
  ]
  return candidates.map(([part, once]) => ({
    part,
    nanoseconds: median(Array.from({ length: rounds }, () => cost(once))),
  }))
}

let sink = 0

function cost(once: () => number): number {
  const count = 2_000_000
  const before = process.cpuUsage()
  for (let i = 0; i < count; i++) sink += once()
  return (cpuUs(before) * 1e3) / count
}

function cpuUs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const closed = await closedLoops()
printTable(
  'Closed loop: 95 % reads, exact Zipf 0.99 over 100,000 keys, a histogram a kind; million operations a CPU second',
  ['store answers', 'workers', 'through KeyValue', 'at the store'],
  answers.flatMap((answer) =>
    [1, 64].map((workers) => [
      answer,
      String(workers),
      ...(['KeyValue', 'store'] as const).map((path) => rateOf(answer, workers, path)),
    ]),
  ),
)
const open = await openLoops()
printTable(
  'Open loop in a worker of its own: lag from the intended start',
  [
    'pace',
    'through',
    'rate',
    'achieved',
    'dropped',
    'lag p50 ms',
    'p99 ms',
    'max ms',
    'CPU',
    'invalid rounds',
  ],
  open.map((row) => [
    row.pace,
    row.path,
    String(row.rate),
    row.achievedRate.toFixed(0),
    String(row.dropped),
    row.lagP50Ms.toFixed(3),
    row.lagP99Ms.toFixed(3),
    row.lagMaxMs.toFixed(2),
    `${(row.cpu * 100).toFixed(0)} %`,
    String(row.invalidRounds),
  ]),
)
const costs = parts()
printTable(
  'Parts',
  ['part', 'ns'],
  costs.map(({ part, nanoseconds }) => [part, nanoseconds.toFixed(1)]),
)
await writeResults('generator', { closed, open, parts: costs })
if (sink === 0.5) console.log(sink) // keeps the loops above from being optimised away

function rateOf(answer: Answer, workers: number, path: ClosedRow['path']): string {
  const row = closed.find((one) => one.answer === answer && one.workers === workers && one.path === path)
  return row?.perCpuSecond.toFixed(2) ?? ''
}
