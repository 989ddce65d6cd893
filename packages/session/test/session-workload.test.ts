import { fileURLToPath } from 'node:url'
import { memory } from '@unikv/core/memory'
import { run } from '@unikv/study-run'
import { runStudy, studyConfig } from '@unikv/workload'
import { synthetic } from '@unikv/workload/data'
import { workloadOf } from '@unikv/workload/driven'
import { expect, test } from 'vitest'

const file = fileURLToPath(new URL('./fixtures/auction.mjs', import.meta.url))

test('sessions run as a workload of a module: each interaction is an operation', async () => {
  const base = await workloadOf({ workload: file })
  const result = await runStudy(run, {
    config: studyConfig(run, {
      workload: base.workload,
      operations: 600,
      runs: 1,
      warmupMs: 0,
      concurrency: 3,
    }),
    stores: [{ name: 'here', url: 'memory:', store: memory() }],
    data: synthetic({ seed: 42 }),
  })
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
