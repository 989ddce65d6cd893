import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastRandom } from '@unikv/bench/statistics'
import { type Finds, keyValue, type Store } from '@unikv/core'
import { postgres } from '@unikv/postgres'
import { sqlite } from '@unikv/sqlite'
import { startServer } from '@unikv/test-kit'
import pg from 'pg'
import { type BudgetLine, budgetRows, ratioLine } from './measure/micro.ts'
import { printTable, writeResults } from './measure/report.ts'
import { median } from './measure/rounds.ts'

// The cost of `find` and `aggregate` beside the statement that a program without unikv would write, on 10,000 documents of some 300 bytes,
// by one caller, without an index and with one over both fields. The two sides take turns call by call in this process, and each round begins with the other side.

const calls = Number(process.env['CALLS'] ?? 300)
const [items, tenants] = [10_000, 100]

interface Log {
  readonly tenant: string
  readonly at: number
  readonly text: string
}

type Way = (tenant: string, from: number) => Promise<unknown>

/** The same query by both. */
interface Case {
  readonly name: string
  readonly native: Way
  readonly unikv: Way
}

const logs = Array.from({ length: items }, (_, i): readonly [string, Log] => [
  `log${i}`,
  { tenant: `tenant${i % tenants}`, at: (i * 7919) % items, text: 'a line of a log '.repeat(16) },
])

const rows: { store: string; query: string; nativeUs: number; findUs: number; ratio: number }[] = []
for (const isIndexed of [false, true]) {
  await onPostgres(isIndexed)
  await onSqlite(isIndexed)
}
printTable(
  `${calls} calls each, medians`,
  ['store', 'query', 'native, µs', 'unikv, µs', 'times'],
  rows.map(({ store, query, nativeUs, findUs, ratio }) => [
    store,
    query,
    nativeUs.toFixed(0),
    findUs.toFixed(0),
    ratio.toFixed(2),
  ]),
)
const budget: readonly BudgetLine[] = rows.map(({ store, query, ratio }) =>
  ratioLine(`${store}, ${query}`, ratio, 'most', 1.1),
)
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('finding', { calls, items, rows, budget })

async function onPostgres(isIndexed: boolean): Promise<void> {
  const server = await startServer('postgres', { args: [] })
  const pool = new pg.Pool({ connectionString: server.url, max: 1 })
  const store = postgres({
    url: server.url,
    values: 'document',
    prepare: true,
    maxConnections: 1,
    ...indexes(isIndexed),
  })
  await pool.query('CREATE TABLE native (k text COLLATE "C" PRIMARY KEY, value jsonb NOT NULL)')
  const texts = logs.map(([, log]) => JSON.stringify(log))
  await pool.query('INSERT INTO native SELECT unnest($1::text[]), unnest($2::jsonb[])', [
    logs.map(([key]) => key),
    texts,
  ])
  if (isIndexed)
    await pool.query("CREATE INDEX native_index ON native ((value ->> 'tenant'), ((value -> 'at')::numeric))")
  const kv = await filled(store as unknown as Store<Log>)
  await pool.query('VACUUM ANALYZE')
  const run = async (name: string, text: string, values: readonly unknown[]): Promise<unknown> =>
    (await pool.query({ name, text, values: [...values] })).rows
  await measure(`PostgreSQL${isIndexed ? ', index' : ''}`, kv, {
    equal: (tenant) =>
      run('equal', "SELECT k, value FROM native WHERE value ->> 'tenant' = $1 ORDER BY k LIMIT 10", [tenant]),
    ordered: (tenant, from) =>
      run(
        'ordered',
        `SELECT k, value FROM native WHERE value ->> 'tenant' = $1 AND (value -> 'at')::numeric >= $2
        ORDER BY (value -> 'at')::numeric DESC, k LIMIT 20`,
        [tenant, from],
      ),
    totals: (tenant) =>
      run(
        'totals',
        `SELECT count(*), sum((value -> 'at')::numeric), min((value -> 'at')::numeric), max((value -> 'at')::numeric)
        FROM native WHERE value ->> 'tenant' = $1`,
        [tenant],
      ),
  })
  await Promise.all([kv.close(), pool.end()])
  await server.stop()
}

async function onSqlite(isIndexed: boolean): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-finding-'))
  const store = sqlite({
    path: join(folder, 'a.db'),
    values: 'document',
    threads: 0,
    durability: 'buffered',
    ...indexes(isIndexed),
  })
  const kv = await filled(store as unknown as Store<Log>)
  const { native } = store
  native.exec('CREATE TABLE native (k TEXT PRIMARY KEY, value TEXT NOT NULL)')
  const insert = native.prepare('INSERT INTO native VALUES (?, ?)')
  native.exec('BEGIN')
  for (const [key, log] of logs) insert.run([key, JSON.stringify(log)])
  native.exec('COMMIT')
  if (isIndexed)
    native.exec(
      "CREATE INDEX native_index ON native (json_extract(value, '$.tenant'), json_extract(value, '$.at'), k)",
    )
  native.exec('ANALYZE')
  const run = (sql: string): ((...values: readonly (string | number)[]) => Promise<unknown>) => {
    const statement = native.prepare(sql)
    return async (...values) =>
      (statement.all(values) as readonly { value?: string }[]).map(({ value, ...others }) =>
        value === undefined ? others : { ...others, value: JSON.parse(value) as unknown },
      )
  }
  const at = "json_extract(value, '$.at')"
  const its = "json_extract(value, '$.tenant') = ?"
  await measure(`SQLite${isIndexed ? ', index' : ''}`, kv, {
    equal: run(`SELECT k, value FROM native WHERE ${its} ORDER BY k LIMIT 10`),
    ordered: run(`SELECT k, value FROM native WHERE ${its} AND ${at} >= ? ORDER BY ${at} DESC, k LIMIT 20`),
    totals: (tenant) =>
      run(`SELECT count(*), sum(${at}), min(${at}), max(${at}) FROM native WHERE ${its}`)(tenant),
  })
  await kv.close()
  await rm(folder, { recursive: true })
}

function indexes(isIndexed: boolean): { readonly indexes?: readonly (readonly string[])[] } {
  return isIndexed ? { indexes: [['tenant', 'at']] } : {}
}

type Kv = Finds<string, Log> & { close(): Promise<void> }

async function filled(store: Store<Log>): Promise<Kv> {
  const kv = keyValue(store)
  for (let i = 0; i < items; i += 500) await kv.setMany(logs.slice(i, i + 500))
  return kv as unknown as Kv
}

async function measure(store: string, kv: Kv, native: Readonly<Record<string, Way>>): Promise<void> {
  const own: Readonly<Record<string, Way>> = {
    equal: (tenant) => kv.find({ where: { tenant }, limit: 10 }),
    ordered: (tenant, from) =>
      kv.find({ where: { tenant, at: { gte: from } }, orderBy: [{ desc: 'at' }], limit: 20 }),
    totals: (tenant) => kv.aggregate({ where: { tenant }, of: 'at' }),
  }
  for (const query of Object.keys(own))
    await inTurns(store, { name: query, native: native[query] as Way, unikv: own[query] as Way })
}

async function inTurns(store: string, { name, native, unikv }: Case): Promise<void> {
  const random = fastRandom(7)
  const times: [number[], number[]] = [[], []]
  for (let i = -calls / 5; i < calls; i++) {
    const tenant = `tenant${Math.floor(random.next() * tenants)}`
    const from = Math.floor((random.next() * items) / 2)
    for (const turn of i % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const startedAt = performance.now()
      await (turn === 0 ? native : unikv)(tenant, from)
      if (i >= 0) times[turn].push((performance.now() - startedAt) * 1000)
    }
  }
  const [nativeUs, findUs] = times.map(median) as [number, number]
  rows.push({ store, query: name, nativeUs, findUs, ratio: findUs / nativeUs })
}
