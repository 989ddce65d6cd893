import type { Groups, GroupTransaction } from '@unikv/core'
import { postgres, preparePostgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { startServer } from '@unikv/test-kit'
import { Redis } from 'ioredis'
import pg from 'pg'
import { keepServersToOneCore } from './measure/cores.ts'
import { type BudgetLine, budgetRows, ratioLine, repeated } from './measure/micro.ts'
import { printTable, writeResults } from './measure/report.ts'
import { interleaved, type Outcome } from './measure/rounds.ts'

// A transaction of one read and one write of 100 bytes, one caller: native groups beside the same by hand.

const rounds = Number(process.env['ROUNDS'] ?? 9)
const durationMs = Number(process.env['DURATION_MS'] ?? 400)
const limit = 1.15
const value = Buffer.alloc(100, 'v')

keepServersToOneCore()
const measured = [await onPostgres(), await onRedis()]
printTable(
  `One read and one write in a transaction, ${rounds} rounds`,
  ['', 'µs', 'ratio'],
  measured.flat().map(({ name, p50Us, latencyRatio }) => [name, p50Us.toFixed(0), latencyRatio.toFixed(2)]),
)
const budget: readonly BudgetLine[] = measured.map((outcomes) => {
  const { name, latencyRatio } = outcomes[1] as Outcome
  return ratioLine(name, latencyRatio, 'most', limit)
})
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('group-transactions', { rounds, measured, budget })

async function transact(groups: Groups): Promise<void> {
  const call = { deadlineAt: performance.now() + 5_000 }
  const tx: GroupTransaction = await groups.begin('group', call)
  await tx.get(['key'])
  if (!(await tx.commit([{ key: 'key', value }]))) throw new Error('There is no other caller.')
}

/** One call after the other, also where a benchmark does not wait for the first one. */
function inTurn(work: () => Promise<unknown>): () => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve()
  return () => (last = last.then(work))
}

async function compared(store: string, byHand: () => Promise<unknown>, groups: Groups | undefined) {
  if (groups === undefined) throw new Error(`${store} has no groups.`)
  const contestants = [
    repeated(`${store} by hand`, inTurn(byHand), { durationMs }),
    repeated(
      `${store} groups`,
      inTurn(() => transact(groups)),
      { durationMs },
    ),
  ]
  return interleaved(contestants, rounds)
}

async function onPostgres(): Promise<readonly Outcome[]> {
  const server = await startServer('postgres', { args: [] })
  const pool = new pg.Pool({ connectionString: server.url, max: 1 })
  await preparePostgres({ url: server.url })
  const store = postgres({ url: server.url, prepare: true })
  try {
    await pool.query('CREATE TABLE by_hand (k BYTEA PRIMARY KEY, value BYTEA NOT NULL)')
    await pool.query('INSERT INTO by_hand VALUES ($1, $2)', [Buffer.from('key'), value])
    return await compared('postgres', () => postgresByHand(pool), store.groups)
  } finally {
    await Promise.all([store.close(), pool.end()])
    await server.stop()
  }
}

async function postgresByHand(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  const key = Buffer.from('key')
  await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
  await client.query({ name: 'read', text: 'SELECT value FROM by_hand WHERE k = $1', values: [key] })
  await client.query({
    name: 'set',
    text: 'UPDATE by_hand SET value = $2 WHERE k = $1',
    values: [key, value],
  })
  await client.query('COMMIT')
  client.release()
}

async function onRedis(): Promise<readonly Outcome[]> {
  const server = await startServer('redis', { args: [] })
  const client = new Redis(server.url)
  const store = redis({ url: server.url })
  try {
    return await compared('redis', () => redisByHand(client), store.groups)
  } finally {
    await Promise.all([store.close(), client.quit()])
    await server.stop()
  }
}

async function redisByHand(client: Redis): Promise<void> {
  await client.watch('key')
  await client.getBuffer('key')
  await client.multi().set('key', value).exec()
}
