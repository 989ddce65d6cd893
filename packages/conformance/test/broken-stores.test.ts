import { collectingRunner, conformance } from '@unikv/conformance'
import { describe, expect, test } from 'vitest'
import { brokenBatches } from './broken/batches.ts'
import { type BrokenStore, brokenStores } from './broken/broken-store.ts'
import { brokenConditions } from './broken/conditions.ts'
import { brokenExpiry } from './broken/expiry.ts'
import { brokenKeys } from './broken/keys.ts'
import { brokenLifecycles } from './broken/lifecycle.ts'
import { brokenReadsAndWrites } from './broken/reads-and-writes.ts'
import { brokenScans } from './broken/scans.ts'
import { brokenValues } from './broken/values.ts'

const broken: readonly BrokenStore[] = [
  ...brokenReadsAndWrites,
  ...brokenBatches,
  ...brokenConditions,
  ...brokenExpiry,
  ...brokenScans,
  ...brokenValues,
  ...brokenKeys,
  ...brokenLifecycles,
]

test('the store below the faults passes the whole suite', async () => {
  const runner = collectingRunner()
  await conformance({ ...runner, ...brokenStores({ breaks: () => ({}) }) })
  const { passed, failed } = await runner.run()
  expect(failed.map(({ topic, title, error }) => `${topic}: ${title}: ${String(error)}`)).toEqual([])
  expect(passed).toBeGreaterThan(200)
})

test('there are enough ways to be broken', () => {
  expect(new Set(broken.map(({ fault }) => fault)).size).toBeGreaterThanOrEqual(60)
})

describe('the suite finds a store that', () => {
  for (const one of broken) {
    test(one.fault, async () => {
      const runner = collectingRunner({ timeoutMs: 8_000, only: (topic) => topic === one.topic })
      await conformance({ ...runner, ...brokenStores(one), patienceMs: 1_000, timeoutMs: 5_000 })
      const { failed } = await runner.run()
      expect(failed.map(({ title }) => title)).toContain(one.found)
    })
  }
})
