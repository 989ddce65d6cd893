import { keyValue } from '@unikv/core'
import { mysql } from '@unikv/mysql'
import { redis } from '@unikv/redis'
import { startServer } from '@unikv/test-kit'
import { Redis } from 'ioredis'
import { createPool } from 'mysql2/promise'
import { closedLoop } from './measure/closed-loop.ts'
import { type BudgetLine, budgetRows, ratioLine } from './measure/micro.ts'
import { printTable, thousands, times, writeResults } from './measure/report.ts'
import { type Contestant, interleaved, type Outcome } from './measure/rounds.ts'
import { webServer } from './measure/web-server.ts'

// How much does merging concurrent single calls bring, and what does it cost? The native client against unikv on
// the same server, values of 1 KB, in a closed loop and as a web server. Ratios to the native client.

const rounds = Number(process.env['ROUNDS'] ?? 5)
const durationMs = Number(process.env['DURATION_MS'] ?? 400)
const keys = Array.from({ length: 10_000 }, (_, i) => `user:${i}`)
const value = Buffer.alloc(1000, 'v')
const values = Array.from({ length: 64 }, (_, i) => Buffer.alloc(1000, String(i)))
const valueOf = (i: number): Buffer => values[i % 64] as Buffer
const keyOf = (i: number): string => keys[(i * 7919) % keys.length] as string

type Operation = (i: number) => Promise<unknown>
type Case = readonly [
  question: string,
  concurrency: number,
  contestants: Readonly<Record<string, Operation>>,
  loop: typeof closedLoop,
]

const results: { server: string; question: string; concurrency: number; outcomes: readonly Outcome[] }[] = []

async function compare(server: string, cases: readonly Case[], title: string): Promise<void> {
  const rows: string[][] = []
  for (const [question, concurrency, operations, loop] of cases) {
    const contestants = Object.entries(operations).map(
      ([name, operation]): Contestant => ({ name, run: () => loop(operation, concurrency, durationMs) }),
    )
    const outcomes = await interleaved(contestants, rounds)
    results.push({ server, question, concurrency, outcomes })
    for (const { name, opsPerSecond, p50Us, throughputRatio, latencyRatio } of outcomes) {
      rows.push([
        `${question}, ${concurrency}`,
        name,
        thousands(opsPerSecond),
        p50Us.toFixed(0),
        times(throughputRatio),
        times(latencyRatio),
      ])
    }
  }
  printTable(`${server}, ${title}`, ['case', 'client', 'ops/s', 'p50 µs', 'throughput', 'p50'], rows)
}

async function redisCases(): Promise<void> {
  await using server = await startServer('redis')
  const native = new Redis(server.url)
  const piped = new Redis(server.url, { enableAutoPipelining: true })
  await using kv = keyValue(redis({ url: server.url }))
  await kv.setMany(keys.map((key) => [key, value]))
  await native.mset(keys.flatMap((key) => [key, value]))
  const reads = {
    ioredis: (i: number) => native.getBuffer(keyOf(i)),
    autopipelining: (i: number) => piped.getBuffer(keyOf(i)),
    unikv: (i: number) => kv.get(keyOf(i)),
  }
  const writes = {
    ioredis: (i: number) => native.set(keyOf(i), valueOf(i)),
    autopipelining: (i: number) => piped.set(keyOf(i), valueOf(i)),
    unikv: (i: number) => kv.set(keyOf(i), valueOf(i)),
  }
  const expiring = {
    ioredis: (i: number) => native.set(keyOf(i), valueOf(i), 'PX', 60_000),
    unikv: (i: number) => kv.set(keyOf(i), valueOf(i), { ttlMs: 60_000 }),
  }
  await compare(
    'Redis',
    [1, 2, 4, 8, 12, 16, 32, 64, 256].map((c): Case => ['reads', c, reads, closedLoop]),
    'closed loop, reads',
  )
  await compare(
    'Redis',
    [
      ...[1, 8, 64].map((c): Case => ['writes', c, writes, closedLoop]),
      ['expiring writes', 64, expiring, closedLoop],
    ],
    'closed loop, writes',
  )
  await compare(
    'Redis',
    [1, 64, 256].map((c): Case => ['sockets', c, reads, webServer]),
    'one read per incoming message',
  )
  native.disconnect()
  piped.disconnect()
}

async function mysqlCases(): Promise<void> {
  await using server = await startServer('mariadb')
  const pool = createPool({ uri: server.url, connectionLimit: 10 })
  await using kv = keyValue(mysql({ url: server.url, table: 'bench', prepare: true }))
  await kv.setMany(keys.map((key) => [key, value]))
  await pool.query('CREATE TABLE IF NOT EXISTS native (k VARBINARY(255) PRIMARY KEY, v LONGBLOB NOT NULL)')
  // Below the server's packet limit.
  for (let start = 0; start < keys.length; start += 1000)
    await pool.query('REPLACE INTO native VALUES ?', [
      keys.slice(start, start + 1000).map((key) => [key, value]),
    ])
  const reads = {
    mysql2: (i: number) => pool.execute('SELECT v FROM native WHERE k = ?', [keyOf(i)]),
    unikv: (i: number) => kv.get(keyOf(i)),
  }
  // InnoDB skips an update that changes nothing, and rounds start over with the same keys: so every write of either
  // contestant has another value than the last one of its key.
  let written = 0
  const nextValue = (): Buffer => values[written++ % 61] as Buffer
  const writes = {
    mysql2: (i: number) =>
      pool.execute('INSERT INTO native VALUES (?, ?) ON DUPLICATE KEY UPDATE v = VALUES(v)', [
        keyOf(i),
        nextValue(),
      ]),
    unikv: (i: number) => kv.set(keyOf(i), nextValue()),
  }
  await compare(
    'MariaDB',
    [1, 8, 64].map((c): Case => ['reads', c, reads, closedLoop]),
    'closed loop, reads',
  )
  await compare(
    'MariaDB',
    [1, 64].map((c): Case => ['writes', c, writes, closedLoop]),
    'closed loop, writes',
  )
  await compare(
    'MariaDB',
    [1, 64, 256].map((c): Case => ['sockets', c, reads, webServer]),
    'one read per incoming message',
  )
  await pool.end()
}

/** The outcome of a client in a case. */
function outcomeOf(server: string, question: string, concurrency: number, client = 'unikv'): Outcome {
  const found = results.find(
    (one) => one.server === server && one.question === question && one.concurrency === concurrency,
  )
  const outcome = found?.outcomes.find(({ name }) => name === client)
  if (outcome === undefined) throw new Error(`No ${client} in ${question}, ${concurrency} on ${server}.`)
  return outcome
}

const throughput = (server: string, question: string, concurrency: number, limit: number): BudgetLine =>
  ratioLine(
    `${server}, ${question}, ${concurrency}: throughput`,
    outcomeOf(server, question, concurrency).throughputRatio,
    'least',
    limit,
  )
const latency = (server: string, question: string, concurrency: number, limit: number): BudgetLine =>
  ratioLine(
    `${server}, ${question}, ${concurrency}: median`,
    outcomeOf(server, question, concurrency).latencyRatio,
    'most',
    limit,
  )

function redisBudget(): readonly BudgetLine[] {
  const piped = outcomeOf('Redis', 'reads', 64, 'autopipelining').throughputRatio
  return [
    latency('Redis', 'reads', 1, 1.05),
    ...[2, 4, 8, 12].flatMap((c) => [
      throughput('Redis', 'reads', c, 0.8),
      latency('Redis', 'reads', c, 1.1),
    ]),
    throughput('Redis', 'reads', 16, 1.2),
    throughput('Redis', 'reads', 64, 3),
    ratioLine(
      'Redis, reads, 64: throughput to autopipelining',
      outcomeOf('Redis', 'reads', 64).throughputRatio / piped,
      'least',
      2,
    ),
    throughput('Redis', 'reads', 256, 4),
    throughput('Redis', 'writes', 64, 2),
    throughput('Redis', 'expiring writes', 64, 1.5),
    throughput('Redis', 'sockets', 64, 1.25),
    throughput('Redis', 'sockets', 256, 1.25),
  ]
}

function mariaDbBudget(): readonly BudgetLine[] {
  return [
    latency('MariaDB', 'reads', 1, 1),
    throughput('MariaDB', 'reads', 64, 6),
    throughput('MariaDB', 'writes', 64, 4.5),
    throughput('MariaDB', 'sockets', 64, 2),
    throughput('MariaDB', 'sockets', 256, 2),
  ]
}

const only = process.argv[2]
const budget: BudgetLine[] = []
if (only === undefined || only === 'redis') {
  await redisCases()
  budget.push(...redisBudget())
}
if (only === undefined || only === 'mysql') {
  await mysqlCases()
  budget.push(...mariaDbBudget())
}
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('coalescing', { cases: results, budget })
