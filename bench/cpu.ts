import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { startServer } from '@unikv/test-kit'
import type { CpuOrder, CpuRound } from './measure/cpu-process.ts'
import { budgetRows, ratioLine } from './measure/micro.ts'
import { printTable, times, writeResults } from './measure/report.ts'
import { median } from './measure/rounds.ts'

// The processor time of a call to Redis, in unikv and in ioredis. Users pay for it, and other load on the machine hardly
// changes it, as it changes latencies. One to 64 callers, reads and writes of 1 KB, each client in a process of its own,
// in turn. Calls a second mean something on an idle machine alone: the load average, which is printed, should stay below 2.

const rounds = Number(process.env['ROUNDS'] ?? 7)
const durationMs = Number(process.env['DURATION_MS'] ?? 500)
const callers = (process.env['CALLERS'] ?? '1,2,4,8,12,16,64').split(',').map(Number)
const operations = ['read', 'insert'] as const

interface Line {
  readonly operation: string
  readonly callers: number
  readonly native: readonly CpuRound[]
  readonly unikv: readonly CpuRound[]
}

/** Budget of few callers, as times the native client: most processor time of a call, fewest calls a second. */
const budgets: Readonly<Record<number, { readonly cpu: number; readonly calls: number }>> = {
  1: { cpu: 1.08, calls: 0.97 },
  2: { cpu: 0.95, calls: 1.05 },
  4: { cpu: 0.85, calls: 1.15 },
  8: { cpu: 0.75, calls: 1.25 },
}

const loadBefore = loadOf()
const server = await startServer('redis')
const lines = await linesOf(server.url).finally(() => server.stop())
printTable(
  `Processor time of a call, in microseconds; load average ${loadBefore} before, ${loadOf()} after`,
  ['operation', 'callers', 'native', 'unikv', 'ratio', 'calls a second'],
  lines.map(({ operation, callers: count, native, unikv }) => [
    operation,
    String(count),
    median(native.map(({ cpuUs }) => cpuUs)).toFixed(1),
    median(unikv.map(({ cpuUs }) => cpuUs)).toFixed(1),
    times(ratio(unikv, native, 'cpuUs')),
    times(ratio(unikv, native, 'opsPerSecond')),
  ]),
)
const budget = lines.flatMap(({ operation, callers: count, native, unikv }) => {
  const limits = budgets[count]
  if (limits === undefined) return []
  const name = `Redis, ${operation}, ${count}`
  return [
    ratioLine(`${name}: processor time`, ratio(unikv, native, 'cpuUs'), 'most', limits.cpu),
    ratioLine(`${name}: calls a second`, ratio(unikv, native, 'opsPerSecond'), 'least', limits.calls),
  ]
})
if (budget.length > 0) printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('cpu', { load: [loadBefore, loadOf()], lines })

/** Load average of the last minute. */
function loadOf(): string {
  return (loadavg()[0] as number).toFixed(2)
}

/** Both clients in turn, so that what disturbs the machine falls on both. */
async function linesOf(url: string): Promise<Line[]> {
  const [native, unikv] = await Promise.all([opened('native', url), opened('unikv', url)])
  const found: Line[] = []
  for (const operation of operations) {
    for (const count of callers) {
      const line = { operation, callers: count, native: [] as CpuRound[], unikv: [] as CpuRound[] }
      const order = { operation, callers: count, durationMs }
      for (let round = 0; round <= rounds; round++) {
        const pair = [await answer(native, order), await answer(unikv, order)] as const
        if (round === 0) continue
        line.native.push(pair[0])
        line.unikv.push(pair[1])
      }
      found.push(line)
    }
  }
  native.kill()
  unikv.kill()
  return found
}

async function opened(side: string, url: string): Promise<ChildProcess> {
  const child = fork(new URL('./measure/cpu-process.js', import.meta.url), [side, url])
  await once(child, 'message')
  return child
}

async function answer(child: ChildProcess, order: CpuOrder): Promise<CpuRound> {
  child.send(order)
  const [round] = (await once(child, 'message')) as [CpuRound]
  return round
}

/** The median of the ratios of each round. */
function ratio(one: readonly CpuRound[], other: readonly CpuRound[], what: keyof CpuRound): number {
  return median(one.map((round, i) => round[what] / (other[i] as CpuRound)[what]))
}
