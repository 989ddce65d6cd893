import { pause } from '@unikv/core/platform'
import { openStores } from '@unikv/manager'
import { type Tactic, tuner } from '@unikv/tuner'
import { type BudgetLine, budgetRows } from './measure/micro.ts'
import { printTable, writeResults } from './measure/report.ts'
import { median, medianInterval } from './measure/rounds.ts'

// The price of a tuner for an application at 2,000 calls a second: the time of the processor that a look takes, every five seconds, and
// how long a decision takes at all numbers of a store. A look is timed while no calls come, after five seconds with calls, so that
// nothing else is counted. The clock of the tuner goes five seconds further with each look: five minutes are full after sixty.
// `TURNS=15` also compares the whole process with a tuner and without one, in turns of twenty seconds each.

const rate = 2000
const lookEveryMs = 5000
const looks = Number(process.env['LOOKS'] ?? 40)
const turns = Number(process.env['TURNS'] ?? 0)
const turnMs = 20_000
const url = 'memory:'
const promise = { store: 'users', operation: 'read', belowMs: 1000 } as const

/** Applies always, and never helps: each look of a store in trouble ends in a decision. */
const useless: Tactic = {
  name: 'useless',
  knowledge: { effects: [], cost: 'nothing', source: 'this benchmark' },
  limitMs: 1000,
  applies: () =>
    Array.from({ length: 12 }, (_, i) => ({
      change: { i },
      title: `change ${i}`,
      latency: { read: 1.5 },
      seconds: 1,
      figures: [],
    })),
  carryOut: async () => {},
  undo: async () => {},
  isDone: async () => false,
}

/** One way to be watched, and how much a look takes. */
interface Looks {
  readonly cpuMs: readonly number[]
  readonly wallMs: readonly number[]
}

const well = await looksOf(promise)
const troubled = await looksOf({ ...promise, belowMs: 1e-6 })
/** A look with a decision takes so much longer. Time of the processor, as others may be at work on the machine. */
const decisionMs = median(troubled.cpuMs) - median(well.cpuMs)
const share = well.cpuMs.map((ms) => ms / lookEveryMs)
const row = (name: string, ms: readonly number[]): string[] => {
  const [low, high] = medianInterval(ms)
  return [name, median(ms).toFixed(2), `${low.toFixed(2)} to ${high.toFixed(2)}`]
}
printTable(
  `A look of a tuner, ${looks} times`,
  ['', 'ms', '95 %'],
  [
    row('all is well: processor', well.cpuMs),
    row('all is well: time', well.wallMs),
    row('with a decision: processor', troubled.cpuMs),
    row('with a decision: time', troubled.wallMs),
  ],
)
if (turns > 0)
  printTable(
    'The whole process, in turns',
    ['', 'share of a processor', 'from', 'to (95 %)'],
    await inTurns(),
  )
const budget: BudgetLine[] = [
  {
    what: `share of a processor at ${rate} calls a second`,
    limit: '≤ 0.5 %',
    measured: `${(median(share) * 100).toFixed(2)} %`,
    kept: median(share) <= 0.005,
  },
  {
    what: 'a decision at all numbers of a store',
    limit: '≤ 10 ms',
    measured: `${decisionMs.toFixed(1)} ms`,
    kept: decisionMs <= 10,
  },
]
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('tuner', { rate, looks, well, troubled, budget })

async function looksOf(
  policy: typeof promise | (Omit<typeof promise, 'belowMs'> & { belowMs: number }),
): Promise<Looks> {
  await using manager = await openStores({
    stores: { users: { url, layers: ['json'] } },
    monitor: { policies: [policy] },
  })
  let now = Date.now()
  await using its = tuner({ manager, tactics: [useless], everyMs: 60_000, clock: () => now })
  const users = manager.stores.users
  const call = (i: number): unknown => {
    const key = `user${i % 500}`
    if (i % 4 === 0) return users.set(key, { name: 'x'.repeat(100), i })
    if (i % 4 === 1) return manager.monitor?.measure('users', () => i, { by: [i % 8 === 1 ? 'ip' : 'at'] })
    return users.get(key)
  }
  const found = { cpuMs: [] as number[], wallMs: [] as number[] }
  for (let look = 0; look < 60 + looks; look += 1) {
    await load(call, look < 60 ? 100 : 1000)
    now += lookEveryMs
    const [cpu, startMs] = [process.cpuUsage(), performance.now()]
    await its.look()
    const { user, system } = process.cpuUsage(cpu)
    if (look < 60) continue
    found.wallMs.push(performance.now() - startMs)
    found.cpuMs.push((user + system) / 1000)
  }
  return found
}

/** The processor time of the process with a tuner and without one, and the paired difference. */
async function inTurns(): Promise<string[][]> {
  await using manager = await openStores({
    stores: { users: { url, layers: ['json'] } },
    monitor: { policies: [promise] },
  })
  const users = manager.stores.users
  const call = (i: number): unknown =>
    i % 4 === 0 ? users.set(`user${i % 500}`, { i }) : users.get(`user${i % 500}`)
  const shareOf = async (): Promise<number> => {
    const [cpu, startMs] = [process.cpuUsage(), performance.now()]
    await load(call, turnMs)
    const { user, system } = process.cpuUsage(cpu)
    return (user + system) / 1000 / (performance.now() - startMs)
  }
  const watched = async (): Promise<number> => {
    await using _ = tuner({ manager, everyMs: lookEveryMs })
    return await shareOf()
  }
  await watched()
  const [having, without]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < turns; turn += 1) {
    // The side that begins changes, as a machine that becomes busier would otherwise count for one side.
    if (turn % 2 === 0) having.push(await watched())
    without.push(await shareOf())
    if (turn % 2 === 1) having.push(await watched())
  }
  const rows = {
    'with a tuner': having,
    without,
    difference: having.map((share, i) => share - (without[i] ?? 0)),
  }
  return Object.entries(rows).map(([name, shares]) => {
    const [low, high] = medianInterval(shares)
    return [name, ...[median(shares), low, high].map((share) => `${(share * 100).toFixed(2)} %`)]
  })
}

/** Calls at the rate, in groups of twenty. */
async function load(call: (i: number) => unknown, durationMs: number): Promise<void> {
  for (let i = 0; i < (rate * durationMs) / 1000; i += 1) {
    await call(i)
    if (i % 20 === 19) await pause(10)
  }
}
