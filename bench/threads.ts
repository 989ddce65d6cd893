import { type DriveRequest, type Driver, synthetic, threadDriver, workloadSchema } from '@unikv/bench/engine'
import { keyValue } from '@unikv/core'
import { noOpStore } from './measure/no-op-store.ts'
import { printTable, writeResults } from './measure/report.ts'
import { median } from './measure/rounds.ts'

// Does a second thread on a second core double the load? One and two threads drive a store that does nothing, in turns.
// The rate by the clock on the wall needs two free cores; operations in a second of CPU time tell whether threads slow
// each other down, also on a busy machine.

const rounds = Number(process.env['ROUNDS'] ?? 5)
const durationMs = Number(process.env['DURATION_MS'] ?? 2_000)

const workload = workloadSchema.parse({
  name: 'no-op',
  records: 100_000,
  mix: { read: 95, update: 5 },
  keys: { kind: 'zipfian' },
})

const request: DriveRequest = {
  workload,
  loop: { concurrency: 64, rate: null, arrivals: 'constant', maxInFlight: 1, whenFull: 'drop' },
  run: 1,
  durationMs,
  operations: null,
  expectedInserts: 0,
}

function opened(threads: number): Promise<Driver> {
  return threadDriver({
    keys: keyValue(noOpStore('by promise')),
    records: { count: workload.records },
    data: synthetic({ seed: 1 }),
    seed: 42,
    threads,
    opener: {
      module: new URL('./measure/no-op-opener.js', import.meta.url).href,
      url: 'null:',
      options: { answer: 'by promise' },
    },
    namespace: [],
    timeoutMs: 60_000,
  })
}

interface Speed {
  readonly perSecond: number
  readonly perCpuSecond: number
}

async function speedOf(driver: Driver): Promise<Speed> {
  const before = process.cpuUsage()
  const { operations, elapsedMs } = await driver.drive(request, { signal: new AbortController().signal })
  const { user, system } = process.cpuUsage(before)
  return { perSecond: operations / elapsedMs / 1e3, perCpuSecond: operations / (user + system) }
}

const cases = await Promise.all(
  [1, 2].map(async (threads) => ({ threads, driver: await opened(threads), found: [] as Speed[] })),
)
for (let round = 0; round <= rounds; round++) {
  for (const { driver, found } of cases) {
    const speed = await speedOf(driver)
    if (round > 0) found.push(speed)
  }
}
for (const { driver } of cases) await driver.close()

const rows = cases.map(({ threads, found }) => ({
  threads,
  perSecond: median(found.map(({ perSecond }) => perSecond)),
  perCpuSecond: median(found.map(({ perCpuSecond }) => perCpuSecond)),
}))
const [one] = rows as [(typeof rows)[number]]
printTable(
  'Threads over a store that does nothing: 95 % reads, YCSB Zipf over 100,000 keys, 64 callers; million operations',
  ['threads', 'a second', 'times one', 'a CPU second', 'times one, each thread on a free core'],
  rows.map(({ threads, perSecond, perCpuSecond }) => [
    String(threads),
    perSecond.toFixed(2),
    (perSecond / one.perSecond).toFixed(2),
    perCpuSecond.toFixed(2),
    ((perCpuSecond / one.perCpuSecond) * threads).toFixed(2),
  ]),
)
await writeResults('threads', { rows })
