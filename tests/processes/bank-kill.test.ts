import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  faultProxy,
  judgeTransactions,
  noteCounts,
  ownServer,
  type RecordedTransaction,
  sabotage,
} from '@unikv/test-kit'
import { describeWith, describeWithOwn, isWhole, someOf } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Bank, type BankLine, bankSum } from '../every-store/fixtures/bank.ts'
import { type By, openBank } from './fixtures/bank-process.ts'
import { prepareSqlBank } from './fixtures/sql-bank.ts'
import { bundle, killed, numbers } from './killed-writer.ts'

const cycles = Number(process.env['UNIKV_CYCLES'] ?? 1)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const kinds: readonly By[] = ['records', 'native']

let script = ''

beforeAll(async () => {
  // Beside the tests, as drivers are not bundled.
  script = fileURLToPath(new URL(`../../node_modules/.bank-writer-${process.pid}.mjs`, import.meta.url))
  await bundle(new URL('fixtures/bank-writer.ts', import.meta.url), script, [
    'lmdb',
    'libsql',
    'ioredis',
    'mysql2',
    'pg',
    'redis',
  ])
})
afterAll(() => rm(script, { force: true }))

/** Transactions that a killed process told: one without an end may have taken effect. */
function historyOf(lines: readonly string[]): readonly RecordedTransaction[] {
  const wanted = new Map<number, RecordedTransaction>()
  for (const line of lines) {
    const told = JSON.parse(line) as BankLine
    if ('end' in told) {
      const { id, end, returnedAt } = told
      const one = wanted.get(id)
      if (end === 'committed' && one) wanted.set(id, { ...one, returnedAt, result: 'committed' })
      else if (end !== 'OUTCOME_UNKNOWN') wanted.delete(id)
    } else {
      const { id, calledAt, writes } = told
      const reads = told.reads.map(([key, stamp]) => [key, stamp ?? undefined] as const)
      const unknown = { returnedAt: Number.POSITIVE_INFINITY, result: 'unknown' } as const
      wanted.set(id, { calledAt, reads: new Map(reads), writes: new Map(writes), ...unknown })
    }
  }
  return [...wanted.values()]
}

/** `through`: the place as its writers reach it. */
async function expectKept(store: string, place: string, by: By, through: string = place): Promise<void> {
  const name = `killed ${seed} ${process.pid}`
  const opened = openBank(store, place, by)
  const { db } = opened
  const bank = new Bank({ writers: [db], transactions: 0, seed, name })
  await bank.open()
  const history: RecordedTransaction[] = []
  const next = numbers(seed)
  let longestLookMs = 0
  const most = by === 'sql' ? Math.ceil(cycles / 2) : cycles
  for (let cycle = 1; cycle <= most; cycle++) {
    const writers = [1, 2].map((writer) => {
      const command = [script, store, through, by, name, String(cycle * 10 + writer)]
      // Rows of two databases that wait for each other take a while.
      const wanted = by === 'sql' ? 20 + next(40) : 40 + next(200)
      return killed(command, (lines) => lines.length >= wanted, next(20))
    })
    for (const lines of await Promise.all(writers)) history.push(...historyOf(lines))
    const begun = performance.now()
    await bank.look(db, {})
    longestLookMs = Math.max(longestLookMs, Math.round(performance.now() - begun))
  }
  await opened.close()
  expect([...bank.sums]).toEqual([bankSum])
  const judgement = judgeTransactions([...bank.history, ...history])
  expect(judgement, JSON.stringify(judgement)).toMatchObject({ serializable: true })
  const committed = history.filter(({ result }) => result === 'committed').length
  const unknown = history.length - committed
  noteCounts({ store: `${store} ${by}`, cycles: most, kills: 2 * most, committed, unknown, longestLookMs })
  expect(committed).toBeGreaterThan(most * (by === 'sql' ? 4 : 10))
}

const timeout = 3_600_000

describe.each(kinds)('a bank whose writers are killed, in %s', (by) => {
  test.each(someOf(1, ['lmdb', 'sqlite'] as const))(
    'keeps its sum and a serializable history on %s',
    { timeout },
    async (store) => {
      const folder = await mkdtemp(join(tmpdir(), 'unikv-bank-'))
      await expectKept(store, folder, by)
      await rm(folder, { recursive: true, force: true })
    },
  )

  // A bank over several stores, below, has both servers; and a killed writer is to a server what a cut connection is.
  if (!isWhole && process.env['UNIKV_CYCLES'] === undefined) return

  describeWith('redis', (url) => test('keeps them on Redis', { timeout }, () => expectKept('redis', url, by)))

  describeWith('postgres', (url) =>
    test('keeps them on PostgreSQL', { timeout }, () => expectKept('postgres', url, by)),
  )
})

describeWith('redis', (redis) => {
  describeWith('postgres', (postgres) => {
    test('a bank over Redis, PostgreSQL and LMDB, whose writers are killed and their connections cut, keeps its sum', {
      timeout,
    }, async () => {
      const lmdb = await mkdtemp(join(tmpdir(), 'unikv-bank-'))
      await using redisProxy = await faultProxy(redis)
      await using postgresProxy = await faultProxy(postgres)
      const harm = [redisProxy, postgresProxy].map((proxy, i) =>
        sabotage(proxy, { seed: seed + i, everyMs: 200 }),
      )
      const through = JSON.stringify({ redis: redisProxy.url, lmdb, postgres: postgresProxy.url })
      await expectKept('several', JSON.stringify({ redis, lmdb, postgres }), 'several', through)
      for (const one of harm) noteCounts({ store: 'several', faults: await one.stop() })
      await rm(lmdb, { recursive: true, force: true })
    })
  })
})

describeWith('redis', (redis) => {
  describeWith('mariadb', (mariadb) => {
    describeWithOwn('postgres', () => {
      test('a bank over Redis and rows of PostgreSQL and MariaDB, whose writers are killed, keeps its sum', {
        timeout,
      }, async () => {
        await using server = await ownServer('postgres', { args: ['-c', 'max_prepared_transactions=100'] })
        const places = { redis, mariadb, postgres: server.url }
        await prepareSqlBank(places)
        await expectKept('sql', JSON.stringify(places), 'sql')
      })
    })
  })
})
