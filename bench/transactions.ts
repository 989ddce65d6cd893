import { fastRandom, zipfAlias } from '@unikv/bench/statistics'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { startServer } from '@unikv/test-kit'
import { transactional, transactions } from '@unikv/transaction'
import pg from 'pg'
import { closedLoop } from './measure/closed-loop.ts'
import { keepServersToOneCore } from './measure/cores.ts'
import { type BudgetLine, budgetRows, ratioLine } from './measure/micro.ts'
import { printTable, writeResults } from './measure/report.ts'
import { type Contestant, interleaved, type Outcome } from './measure/rounds.ts'

// Prices of `@unikv/transaction`, values of 100 bytes: one record beside `update`; two records of one PostgreSQL beside its own transaction;
// YCSB F (half reads, half read-modify-writes, Zipf over 10,000 records) on PostgreSQL at 1, 8 and 64 callers beside the same by hand;
// and 64 callers of one record.

const rounds = Number(process.env['ROUNDS'] ?? 9)
const durationMs = Number(process.env['DURATION_MS'] ?? 500)
const items = 10_000
const text = 'v'.repeat(98)

keepServersToOneCore()
const server = await startServer('postgres', { args: [] })
const redisServer = await startServer('redis', { args: [] })
const log = keyValue(redis({ url: redisServer.url, dataset: 'log' }), [json()])
const pool = new pg.Pool({ connectionString: server.url, max: 64 })
const open = (table: string) => postgres({ url: server.url, table, prepare: true, maxConnections: 64 })
const plain = keyValue(open('plain'), [json<string>()])
const kv = keyValue(open('records'), [json<string>(), transactional({ log })])
const db = transactions({ kv, log })
await fill()

const one = await compared('update of one record', [
  ['update', async () => void (await plain.update('key0', () => text))],
  ['transaction', () => db.run(async (tx) => void (await tx.kv.update('key0', () => text)))],
])
const two = await compared('two records', [
  ['by hand', () => byHand(['key1', 'key2'], text)],
  ['transaction', () => inTransaction(['key1', 'key2'])],
])
const ycsb: Outcome[][] = []
for (const callers of [1, 8, 64])
  ycsb.push(
    await compared(
      `YCSB F, ${callers} callers`,
      [
        [
          'by hand',
          mixed(
            (key) => readByHand(key),
            (key) => byHand([key], text),
          ),
        ],
        [
          'transaction',
          mixed(
            (key) => kv.get(key),
            (key) => inTransaction([key]),
          ),
        ],
      ],
      callers,
    ),
  )
const hot = await onOneRecord()

const budget: readonly BudgetLine[] = [
  ratioLine('one record, beside update', second(one).latencyRatio, 'most', 1.15),
  ratioLine('two records of one PostgreSQL', second(two).latencyRatio, 'most', 1.1),
  ...ycsb.map((outcomes, i) =>
    ratioLine(`YCSB F, ${[1, 8, 64][i]} callers`, second(outcomes).throughputRatio, 'least', 0.7),
  ),
  {
    what: 'one hot record, 64 callers, round trips a commit',
    limit: '≤ 2',
    measured: hot.roundTrips.toFixed(2),
    kept: hot.roundTrips <= 2,
  },
  { what: 'attempts of 99 %', limit: '≤ 20', measured: String(hot.attempts), kept: hot.attempts <= 20 },
]
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('transactions', { rounds, one, two, ycsb, hot, budget })
await Promise.all([plain.close(), kv.close(), log.close(), pool.end()])
await Promise.all([server.stop(), redisServer.stop()])

function second(outcomes: readonly Outcome[]): Outcome {
  return outcomes[1] as Outcome
}

async function compared(
  title: string,
  ways: readonly (readonly [name: string, work: (i: number) => Promise<unknown>])[],
  callers = 1,
): Promise<Outcome[]> {
  const contestants = ways.map(
    ([name, work]): Contestant => ({ name, run: () => closedLoop(work, callers, durationMs) }),
  )
  const outcomes = await interleaved(contestants, rounds)
  printTable(
    `${title}, ${rounds} rounds`,
    ['', 'a second', '95 %', 'µs', 'times', 'µs, times'],
    outcomes.map((outcome) => [
      outcome.name,
      outcome.opsPerSecond.toFixed(0),
      outcome.throughputInterval.map((end) => end.toFixed(2)).join(' to '),
      outcome.p50Us.toFixed(0),
      outcome.throughputRatio.toFixed(2),
      outcome.latencyRatio.toFixed(2),
    ]),
  )
  return [...outcomes]
}

async function fill(): Promise<void> {
  await pool.query('CREATE TABLE by_hand (k TEXT PRIMARY KEY, value TEXT NOT NULL)')
  const keys = Array.from({ length: items }, (_, i) => `key${i}`)
  await pool.query('INSERT INTO by_hand SELECT unnest($1::text[]), $2', [keys, text])
  await plain.set('key0', text)
  for (let i = 0; i < items; i += 250)
    await kv.setMany(keys.slice(i, i + 250).map((key) => [key, text] as const))
}

/** As one would write it by hand: rows are locked as they are read, in their order, and all is done by four statements. */
async function byHand(keys: readonly string[], value: string): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    for (const key of keys)
      await client.query({
        name: 'read',
        text: 'SELECT value FROM by_hand WHERE k = $1 FOR UPDATE',
        values: [key],
      })
    for (const key of keys)
      await client.query({
        name: 'set',
        text: 'UPDATE by_hand SET value = $2 WHERE k = $1',
        values: [key, value],
      })
    await client.query('COMMIT')
  } finally {
    client.release()
  }
}

function readByHand(key: string): Promise<unknown> {
  return pool.query({ name: 'get', text: 'SELECT value FROM by_hand WHERE k = $1', values: [key] })
}

function inTransaction(keys: readonly string[]): Promise<void> {
  return db.run(async (tx) => {
    for (const key of keys) await tx.kv.get(key)
    for (const key of keys) await tx.kv.set(key, text)
  })
}

function mixed(
  read: (key: string) => Promise<unknown>,
  change: (key: string) => Promise<unknown>,
): (i: number) => Promise<unknown> {
  const ranks = zipfAlias({ items }, fastRandom(1))
  return (i) => {
    const key = `key${(ranks.next() * 7919) % items}`
    return i % 2 === 0 ? read(key) : change(key)
  }
}

/** 64 callers that count in one record, where a request takes 2 ms. */
async function onOneRecord(): Promise<{ readonly roundTrips: number; readonly attempts: number }> {
  const tripMs = 2
  const store = memory()
  const late = <T>(work: () => T): Promise<T> =>
    new Promise((resolve) => setTimeout(() => resolve(work()), tripMs))
  const slow: typeof store = {
    ...store,
    read: (...args) => late(() => store.read(...args)) as never,
    write: (...args) => late(() => store.write(...args)) as never,
  }
  const count = keyValue(slow, [json<number>(), transactional({ log })])
  const own = transactions({ count, log })
  const attempts: number[] = []
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      for (let i = 0; i < 10; i++) {
        let tries = 0
        await own.run(async (tx) => {
          tries++
          await tx.count.update('hot', (value = 0) => value + 1)
        })
        attempts.push(tries)
      }
    }),
  )
  const tookMs = performance.now() - startedAt
  if ((await count.get('hot')) !== 640) throw new Error('A change was lost.')
  // A timer takes longer than it is told.
  const trip = await tripOf(late)
  attempts.sort((a, b) => a - b)
  return { roundTrips: tookMs / trip / 640, attempts: attempts[Math.floor(attempts.length * 0.99)] as number }
}

async function tripOf(late: (work: () => void) => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  for (let i = 0; i < 100; i++) await late(() => {})
  return (performance.now() - startedAt) / 100
}
