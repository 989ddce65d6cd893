import { testClock } from '@unikv/conformance'
import { describe, expect, test } from 'vitest'
import { createCache, loaded } from '../src/index.ts'

/** A cache with `a: 1`, no longer fresh, and a loader that fails or hangs. */
async function stale(softTimeoutMs?: number) {
  const clock = testClock(1_000)
  const kept = createCache<number>({
    clock,
    monotonicClock: clock,
    freshForMs: 100,
    staleIfErrorMs: 10_000,
    staleRetryMs: 500,
    ...(softTimeoutMs === undefined ? {} : { softTimeoutMs, background: () => {} }),
  })
  await kept.cached('a', () => loaded(1, { version: 'v1' }))
  clock.advance(100)
  let loads = 0
  const load = () => {
    loads++
    return softTimeoutMs === undefined ? Promise.reject(new Error('down')) : new Promise<number>(() => {})
  }
  const read = async () => (await kept.cachedEntry('a', load))?.meta?.stale
  return { kept, clock, read, loads: () => loads }
}

describe('staleRetryMs', () => {
  test('begins one load in its time while loads fail, and none is waited for', async () => {
    const { kept, clock, read, loads } = await stale()
    for (let n = 0; n < 5; n++) expect(await read()).toBe(true)
    expect(loads()).toBe(1)
    clock.advance(499)
    await read()
    expect(loads()).toBe(1)
    clock.advance(1)
    await read()
    expect(loads()).toBe(2)
    expect(kept.stats()).toMatchObject({ failures: 2, staleAnswers: 7 })
  })

  test('counts a load that took longer than softTimeoutMs as failed', async () => {
    const { read, loads } = await stale(5)
    for (let n = 0; n < 5; n++) expect(await read()).toBe(true)
    expect(loads()).toBe(1)
  })

  test('ends with a load that succeeds, holds up no revalidate, and nothing lasts beyond staleIfErrorMs', async () => {
    const { kept, clock, read } = await stale()
    await read()
    expect(await kept.revalidate('a', async () => 2)).toBe(2)
    expect(kept.peek('a')).toBe(2)
    clock.advance(100)
    await read()
    clock.advance(10_000)
    await expect(read()).rejects.toThrow('down')
  })

  test('needs an entry that may stand in', () => {
    expect(() => createCache({ staleRetryMs: 500 })).toThrow(/needs staleIfErrorMs/)
  })
})
