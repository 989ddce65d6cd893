import { fileURLToPath } from 'node:url'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { postgres } from '@unikv/postgres'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { synthetic } from '../../src/data/open-data.ts'
import { workloadOf } from '../../src/driven/given/workload-of.ts'
import { auctionTables } from '../../src/session/auction/by-sql.ts'
import { sqlDbOf } from '../../src/session/sql/sql-db-of.ts'
import { run } from '../../src/studies/run/run.ts'
import { runStudy } from '../../src/study/run-study.ts'
import { studyConfig } from '../../src/study/study-config.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))

async function driven(file: string, store: Store<Bytes>, operations: number) {
  const { workload } = await workloadOf({ workload: file })
  return runStudy(run, {
    config: studyConfig(run, {
      workload,
      operations,
      runs: 1,
      warmupMs: 0,
      concurrency: 3,
      durationMs: 600_000,
    }),
    stores: [{ name: 'here', url: 'memory:', store }],
    data: synthetic({ seed: 42 }),
  })
}

test('sessions run as a workload of a module: each interaction is an operation', async () => {
  const { workload } = await workloadOf({ workload: fixture('auction.mjs') })
  // Shares of interactions, by simulated sessions.
  expect(Math.abs((workload['mix'] as Record<string, number>)['SELL_AUCTION_ITEM']! - 16.434)).toBeLessThan(2)
  const result = await driven(fixture('auction.mjs'), memory(), 600)
  const { operations, runs } = result.targets[0]!
  expect(runs[0]!.firstError).toBeNull()
  const count = (name: string, outcome: string | null) =>
    operations.find((one) => one.name === name && one.outcome === outcome)!.count
  expect(operations.reduce((sum, one) => sum + one.count, 0)).toBe(600)
  expect(count('SELL_AUCTION_ITEM', null)).toBeGreaterThan(40)
  expect(count('VIEW_AUCTION_ITEM', null)).toBeGreaterThan(5)
  // No auction has ended yet, so that no bid has won.
  expect(count('VIEW_WINNING_BIDS_BY_BIDDER', 'miss')).toBeGreaterThan(20)
  expect(count('VIEW_WINNING_BIDS_BY_BIDDER', null)).toBe(0)
  expect(count('VIEW_AUCTION_ITEM', 'conflict')).toBeGreaterThan(0)
})

describeWith('postgres', (url) => {
  test('sessions by SQL make their tables, and remove them', async () => {
    const dataset = `session_${process.pid}`
    const options = { url, table: dataset, prepare: true }
    await using store = owned(postgres(options))
    const { targets } = await driven(fixture('auction-sql.mjs'), store.store, 150)
    expect(targets[0]!.runs[0]!.firstError).toBeNull()
    expect(targets[0]!.operations.reduce((sum, one) => sum + one.count, 0)).toBe(150)
    const { native } = store.store
    const { rows } = await native.query("SELECT tablename FROM pg_tables WHERE tablename LIKE 'workload_%'")
    expect(rows).toEqual([])
    await native.query(`DROP TABLE IF EXISTS ${dataset}`)
  })
})

test('a mix that leaves an interaction out is refused', async () => {
  const { workload } = await workloadOf(
    { workload: fixture('auction.mjs') },
    { mix: { SELL_AUCTION_ITEM: 1 } },
  )
  const config = studyConfig(run, { workload, operations: 50, runs: 1, warmupMs: 0, concurrency: 1 })
  const stores = [{ name: 'here', url: 'memory:', store: memory() }]
  await expect(runStudy(run, { config, stores, data: synthetic({ seed: 1 }) })).rejects.toThrow(
    /Sessions came to \w+, which is not in the mix\. Leave the mix out/,
  )
})

test('a prefix of tables that is not a name is refused', () => {
  const options = { tables: auctionTables, prefix: 'a; DROP' }
  expect(() => sqlDbOf({ name: 'postgres', native: undefined }, options)).toThrow(
    /must be 1 to 40 letters, digits and _/,
  )
})

test('access by SQL needs a store that has it', () => {
  expect(() => sqlDbOf(keyValue(memory()), { tables: auctionTables, prefix: 'a' })).toThrow(
    'There is no access by SQL to memory; there is one to postgres and mysql.',
  )
})

function owned<S extends Store<Bytes>>(store: S) {
  return { store, [Symbol.asyncDispose]: () => store.close() }
}
