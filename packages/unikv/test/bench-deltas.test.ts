import { runStudy, studyConfig } from '@unikv/bench'
import { synthetic } from '@unikv/bench/engine'
import { type DeltaPoint, deltas } from '@unikv/bench/studies/deltas'
import type { Bytes, Store } from '@unikv/core'
import { open } from '@unikv/stores'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'

/** Scattered edits of 1 % of 4 KB, and values that have nothing in common. */
async function measured(url: string): Promise<readonly DeltaPoint[]> {
  const store: Store<Bytes> = open(url, { dataset: 'unikv_bench_deltas' })
  try {
    const { points } = await runStudy(deltas, {
      config: studyConfig(deltas, {
        sizes: [4_000],
        edits: ['scattered', 'random'],
        shares: [0.01],
        updates: 12,
        keys: 2,
        runs: 2,
        timeoutMs: 30_000,
      }),
      stores: [{ name: 'server', url: '', store }],
      data: synthetic({ seed: 1 }),
    })
    return points
  } finally {
    await store.close()
  }
}

describeWith('redis', (url) => {
  test('deltas that Redis applies are counted as such: sent short, stored and read whole', async () => {
    const [scattered, random] = (await measured(url)) as [DeltaPoint, DeltaPoint]
    const { plain, delta } = scattered
    expect([scattered.deltaShare, random.deltaShare]).toEqual([1, 0])
    expect(delta.sentBytes).toBeLessThan(0.05 * plain.sentBytes)
    expect([delta.storedBytes, delta.readBytes]).toEqual([4_006, 4_006]) // 6 bytes before a whole value
    expect([delta.updateTrips, delta.readTrips]).toEqual([1, 1])
    expect(random.recommendation).toMatchObject({ verdict: 'do-not-use', reason: 'written-whole' })
  })
})

describeWith('postgres', (url) => {
  test('chains are counted with all their parts: sent short, stored and read longer', async () => {
    const [scattered, random] = (await measured(url)) as [DeltaPoint, DeltaPoint]
    const { plain, delta } = scattered
    expect([scattered.deltaShare > 0.9, random.deltaShare]).toEqual([true, 0])
    expect(delta.sentBytes).toBeLessThan(0.5 * plain.sentBytes)
    expect(delta.storedBytes).toBeGreaterThan(plain.storedBytes)
    expect(delta.readBytes).toBe(delta.storedBytes) // one who knows nothing reads all that there is
    expect(delta.knownReadBytes).toBeLessThan(0.5 * plain.readBytes)
    expect([delta.readTrips, delta.knownReadTrips > 1.2]).toEqual([2, false])
    expect(random.recommendation).toMatchObject({ verdict: 'do-not-use', reason: 'written-whole' })
  })
})
