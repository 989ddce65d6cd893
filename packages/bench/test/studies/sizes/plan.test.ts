import { describe, expect, test } from 'vitest'
import { type Cell, cellName, plan } from '../../../src/studies/sizes/plan.ts'

const input = {
  config: { runs: 3, parallel: 1, encryption: ['aes-128-gcm'], compression: ['gzip', 'brotli'] },
  points: [{ size: 100 }, { size: 1_000 }],
  stores: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
  caches: [{ name: 'memory' }, { name: 'near' }],
} as const

describe('plan', () => {
  test('measures every cell once in a warm-up and once in each run', () => {
    const cells = plan(input)
    const runsOf = new Map<string, number[]>()
    for (const cell of cells) runsOf.set(cellName(cell), [...(runsOf.get(cellName(cell)) ?? []), cell.run])
    expect(runsOf.size).toBe(2 * (3 + 3 * 2 + 1 + 2))
    for (const runs of runsOf.values()) expect(runs).toEqual([0, 1, 2, 3])
  })

  test('goes through all stores and sizes before the next run', () => {
    const runs = plan(input).map(({ run }) => run)
    expect(runs).toEqual(runs.toSorted((a, b) => a - b))
  })

  test('lets another store go first in each run', () => {
    const first = (run: number): string =>
      (plan(input).find((cell) => cell.run === run && cell.kind === 'latency') as Cell & { store: string })
        .store
    expect([0, 1, 2, 3].map(first)).toEqual(['a', 'b', 'c', 'a'])
  })
})
