import { testClock } from '@unikv/conformance'
import { type Bytes, compose, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, type StoreCacheOptions } from '../src/index.ts'
import { bytes, textOf } from './gated-cache.ts'
import { gatedStore, turn } from './gated-store.ts'

const drawing = (loadTimes: number) => () => 1 - Math.exp(-loadTimes)

/** Processes whose cache store holds `a: 1`, fresh from 1,000 to 2,000; the first took 10 ms to load it. */
async function filled(count = 1, options: Partial<StoreCacheOptions> = {}) {
  const clock = testClock(1_000)
  const source = gatedStore({ clock })
  const remote = memory({ clock, name: 'remote' })
  const work: Promise<unknown>[] = []
  const processes = Array.from({ length: count }, () => {
    const layer = cache({
      store: remote,
      freshForMs: 1_000,
      refreshAhead: true,
      random: drawing(5),
      clock,
      monotonicClock: clock,
      leaseWaitMs: 100,
      background: (one) => void work.push(one),
      ...options,
    })
    const stack = compose(source, [layer]) as Store<Bytes>
    return { layer, stack, kv: keyValue(stack, [], { clock, timeoutMs: 10_000 }) }
  })
  const behind = keyValue(source.inner, [], { clock })
  await behind.set('a', bytes('1'))
  for (const { kv } of processes) {
    const got = kv.get('a', { consistency: 'strong' })
    await turn()
    clock.advance(10)
    await source.open()
    await got
    await turn()
  }
  await Promise.all(work.splice(0))
  clock.advance(-10 * (count - 1))
  const [one, two] = processes as [(typeof processes)[0], (typeof processes)[0]]
  return { clock, source, behind, work, processes, one, two, reads: source.reads.length }
}

describe('a record near its end', () => {
  test('is the answer at once, also while it is renewed, by one load of all processes', async () => {
    const { clock, source, behind, work, processes, reads } = await filled(3)
    await behind.set('a', bytes('2'))
    clock.advance(965)
    for (const { kv } of [...processes, ...processes]) expect(textOf(await kv.get('a'))).toBe('1')
    await turn()
    expect(source.reads).toHaveLength(reads + 1)
    expect(textOf(await (processes[1] as (typeof processes)[0]).kv.get('a'))).toBe('1')
    await source.open()
    await Promise.all(work)
    await turn()
    for (const { kv } of processes) expect(textOf(await kv.get('a'))).toBe('2')
    expect(source.reads).toHaveLength(reads + 1)
    const refreshes = processes.map(({ layer }) => layer.stats().refreshes)
    expect(refreshes.reduce((sum, n) => sum + n, 0)).toBe(1)
  })

  test.each([0, 1])('that process %d writes meanwhile does not come back', async (writer) => {
    const { clock, source, work, processes, one, two } = await filled(2)
    clock.advance(975)
    await one.kv.get('a')
    await turn()
    source.look()
    const stack = (processes[writer] as (typeof processes)[0]).stack
    await keyValue(stack, [], { clock }).set('a', bytes('3'))
    await source.open()
    await Promise.all(work)
    await turn()
    for (const { kv } of [one, two]) {
      const got = kv.get('a')
      await turn()
      await source.open()
      expect(textOf(await got)).toBe('3')
    }
  })

  test('whose source is gone is gone', async () => {
    const { clock, source, behind, work, one, reads } = await filled()
    await behind.delete('a')
    clock.advance(985)
    expect(textOf(await one.kv.get('a'))).toBe('1')
    await turn()
    await source.open()
    await Promise.all(work)
    await turn()
    const got = one.kv.get('a')
    await turn()
    expect(source.reads).toHaveLength(reads + 2)
    await source.open()
    expect(await got).toBeUndefined()
  })

  test('is renewed below a cache that only asks whether it is the same', async () => {
    const { clock, source, behind, work, one, reads } = await filled()
    await behind.set('a', bytes('2'))
    const version = (await one.kv.getEntry('a'))?.version as string
    clock.advance(985)
    const [result] = await one.stack.read([{ key: 'a', ifNotVersion: version }], {
      deadlineAt: performance.now() + 1_000,
    })
    expect(result).toMatchObject({ notModified: true })
    await turn()
    expect(source.reads).toHaveLength(reads + 1)
    await source.open()
    await Promise.all(work)
  })
})

test('a strong read that finds nothing leaves nothing', async () => {
  const { source, behind, one, reads } = await filled(1, { refreshAhead: false })
  await behind.delete('a')
  const strong = one.kv.get('a', { consistency: 'strong' })
  await turn()
  await source.open()
  expect(await strong).toBeUndefined()
  await turn()
  const got = one.kv.get('a')
  await turn()
  expect(source.reads).toHaveLength(reads + 2)
  await source.open()
  expect(await got).toBeUndefined()
})

test.each<Partial<StoreCacheOptions>>([{ leases: false }, { background: undefined }])(
  'refreshAhead with %j is INVALID_CONFIG',
  (options) => {
    const settings = { store: memory(), refreshAhead: true, background: () => {}, ...options }
    expect(() => cache(settings)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  },
)
