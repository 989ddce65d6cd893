import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../../src/loop/clock.ts'
import { measureCodec } from '../../../src/studies/sizes/measure/measure-codec.ts'
import { phase } from '../../../src/studies/sizes/measure/phase.ts'

const { signal } = new AbortController()

describe('phase', () => {
  test('of a store that falls silent, waits once for each operation in flight and no longer', async () => {
    for (const workers of [1, 4]) {
      const clock = new VirtualClock()
      const silent = async (): Promise<never> => {
        await clock.sleep(5_000)
        throw new Error('deadline')
      }
      const limits = { operations: 200, workers, maxMs: Infinity, signal, clock }
      await expect(phase(silent, limits)).rejects.toThrow('deadline')
      expect(clock.now()).toBe(5_000)
    }
  })

  test('repeats operations until there is enough time, and enough of them', async () => {
    const clock = new VirtualClock()
    const work = (ms: number) => (): Promise<void> => clock.sleep(ms)
    const limits = { operations: 4, maxMs: 1_000, atLeastMs: 200, atLeastOperations: 50, signal, clock }
    expect(await phase(work(1), limits)).toMatchObject({ operations: 200, distinct: 4 })
    expect(await phase(work(10), limits)).toMatchObject({ operations: 50, distinct: 4 })
    expect(await phase(work(100), limits)).toMatchObject({ operations: 10, distinct: 4 })
  })

  test('does not count the time of checking answers', async () => {
    const clock = new VirtualClock()
    const check = (): void => clock.pass(7)
    const limits = { operations: 20, maxMs: 1_000, signal, clock, check }
    const { meanMs } = await phase(() => clock.sleep(2), limits)
    expect(meanMs).toBeCloseTo(2, 6)
  })
})

test('a codec is measured long enough for one pause to matter little', async () => {
  const same = { encode: (bytes: Uint8Array) => bytes, decode: (bytes: Uint8Array) => bytes }
  const { encode, decode } = await measureCodec({
    codec: same,
    objects: [new Uint8Array(10)],
    maxMs: 10_000,
    signal,
  })
  for (const { operations, rate } of [encode, decode])
    expect((operations / rate) * 1_000).toBeGreaterThanOrEqual(200)
})
