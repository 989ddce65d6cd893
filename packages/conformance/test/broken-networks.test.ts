import { collectingRunner, networkFaults } from '@unikv/conformance'
import { faultProxy } from '@unikv/test-kit'
import { describe, expect, test } from 'vitest'
import { brokenNetworks } from './broken/networks.ts'
import { lineServer } from './line-store/line-server.ts'
import { lineStore } from './line-store/line-store.ts'

test('there are enough ways to be broken', () => {
  expect(new Set(brokenNetworks.map(({ fault }) => fault)).size).toBeGreaterThanOrEqual(25)
})

describe('the suite finds a store that', () => {
  for (const { fault, found, open, appliesHalves = false } of brokenNetworks) {
    test(fault, async () => {
      const server = await lineServer({ appliesHalves })
      const runner = collectingRunner({ only: (_, title) => title === found })
      await networkFaults({
        ...runner,
        proxy: () => faultProxy(server.url),
        open,
        patienceMs: 2_000,
        direct: () => lineStore(server.url),
      })
      const { passed, failed } = await runner.run()
      server.close()
      expect(passed + failed.length).toBe(1)
      expect(failed.map(({ title }) => title)).toEqual([found])
      expect(String(failed[0]?.error)).not.toContain('The test did not end')
    })
  }
})
