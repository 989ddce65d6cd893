import { runStudy, studyConfig } from '@unikv/bench'
import { synthetic } from '@unikv/bench/engine'
import { loadStudy, type ResultOf } from '@unikv/bench/studies'
import type { Bytes, Store } from '@unikv/core'
import { open } from '@unikv/stores'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'

const deltas = await loadStudy('deltas')

/** Scattered edits of 1 % of 4 KB, and values that have nothing in common. */
async function measured(url: string): Promise<ResultOf<'deltas'>> {
  const store: Store<Bytes> = open(url, { dataset: 'unikv_bench_deltas' })
  try {
    return await runStudy(deltas, {
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
  } finally {
    await store.close()
  }
}

/** A figure of updates by an edit: bytes `moved` and `round trips` of an operation, or bytes `stored`. */
function figureOf(
  { rows }: ResultOf<'deltas'>,
  edit: string,
  way: string,
  measure: string,
  operation?: string,
): number {
  const found = rows.find(
    (row) =>
      row.measure === measure &&
      row.dimensions['edit'] === edit &&
      row.dimensions['way'] === way &&
      row.dimensions['operation'] === operation,
  )
  return Number(found?.value)
}

describeWith('redis', (url) => {
  test('deltas that Redis applies are counted as such: sent short, stored and read whole', async () => {
    const result = await measured(url)
    const of = (way: string, measure: string, operation?: string): number =>
      figureOf(result, 'scattered', way, measure, operation)
    const shares = ['scattered', 'random'].map((edit) =>
      figureOf(result, edit, 'delta', 'sent as a delta', 'update'),
    )
    expect(shares).toEqual([1, 0])
    expect(of('delta', 'moved', 'update')).toBeLessThan(0.05 * of('plain', 'moved', 'update'))
    expect([of('delta', 'stored'), of('delta', 'moved', 'read')]).toEqual([4_006, 4_006]) // 6 bytes before a whole value
    expect([of('delta', 'round trips', 'update'), of('delta', 'round trips', 'read')]).toEqual([1, 1])
    expect(result.points[1]?.recommendation).toMatchObject({ verdict: 'do-not-use', reason: 'written-whole' })
  })
})

describeWith('postgres', (url) => {
  test('chains are counted with all their parts: sent short, stored and read longer', async () => {
    const result = await measured(url)
    const of = (way: string, measure: string, operation?: string): number =>
      figureOf(result, 'scattered', way, measure, operation)
    expect(of('delta', 'sent as a delta', 'update')).toBeGreaterThan(0.9)
    expect(figureOf(result, 'random', 'delta', 'sent as a delta', 'update')).toBe(0)
    expect(of('delta', 'moved', 'update')).toBeLessThan(0.5 * of('plain', 'moved', 'update'))
    expect(of('delta', 'stored')).toBeGreaterThan(of('plain', 'stored'))
    expect(of('delta', 'moved', 'read')).toBe(of('delta', 'stored')) // one who knows nothing reads all that there is
    expect(of('delta', 'moved', 'known read')).toBeLessThan(0.5 * of('plain', 'moved', 'read'))
    expect([of('delta', 'round trips', 'read'), of('delta', 'round trips', 'known read') > 1.2]).toEqual([
      2,
      false,
    ])
    expect(result.points[1]?.recommendation).toMatchObject({ verdict: 'do-not-use', reason: 'written-whole' })
  })
})
