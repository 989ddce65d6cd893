import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import type { Policy, PolicyName, Resident } from '../src/index.ts'
import { filled, letters, narrow, readAll, run } from './warm-setting.ts'

describe('the hottest part', () => {
  /** Keys that are saved where there is room for three, of a cache that was used as told. */
  async function savedOf(policy: PolicyName | (() => Policy), used: readonly string[]): Promise<string[]> {
    const here = await filled()
    const first = run(here, { policy, maxEntries: 100 }, { maxBytes: 300 })
    await readAll(first.kv, letters)
    await readAll(first.kv, used)
    await first.kv.close()
    const second = run(here)
    await second.near.loaded()
    const asked = second.asked.length
    expect(asked).toBe(0)
    const { revalidations: before } = second.near.stats()
    const there: string[] = []
    for (const key of letters) {
      const { revalidations } = second.near.stats()
      await second.kv.get(key)
      if (second.near.stats().revalidations > revalidations) there.push(key)
    }
    expect(second.near.stats().revalidations).toBe(before + there.length)
    return there
  }

  test.each<PolicyName>(['lru', 'sieve', 's3-fifo', 'w-tinylfu', 'gdsf'])(
    'is what was used, by %s',
    async (policy) => {
      expect(await savedOf(policy, ['a', 'c', 'a', 'c'])).toEqual(expect.arrayContaining(['a', 'c']))
      expect(await savedOf(policy, ['b', 'e', 'e', 'b'])).toEqual(expect.arrayContaining(['b', 'e']))
    },
  )

  test('is what came last, by a policy of four methods', async () => {
    class Fifo implements Policy {
      readonly #present = new Set<Resident>()
      add(resident: Resident): void {
        this.#present.add(resident)
      }
      use(): void {}
      remove(resident: Resident): void {
        this.#present.delete(resident)
      }
      victim(): Resident {
        const [oldest] = this.#present
        return oldest as Resident
      }
    }
    expect(await savedOf(() => new Fifo(), ['a', 'a'])).toEqual(['c', 'd', 'e'])
  })

  test('makes room last again', async () => {
    const here = await filled()
    const first = run(here, { policy: 'lru' })
    await readAll(first.kv, letters)
    await first.kv.get('a')
    await first.kv.close()
    const second = run(here, { policy: 'lru', maxEntries: 5 })
    await second.near.loaded()
    await run(here, {}, { store: memory() }).kv.set('f', 1)
    await readAll(second.kv, ['f'])
    await readAll(second.kv, ['a', 'c', 'd', 'e'])
    expect(second.near.stats()).toMatchObject({ evictions: 1, revalidations: 4 })
  })

  test('pushes nobody out', async () => {
    const here = await filled()
    const first = run(here)
    await readAll(first.kv, letters)
    await first.kv.close()
    const second = run(here, { maxEntries: 2 })
    await second.kv.get('e')
    await second.near.loaded()
    expect(second.near.stats()).toMatchObject({ entries: 2, evictions: 0, warm: { loaded: 1 } })
  })

  test('goes into records that the store takes; a larger value is left out', async () => {
    const here = await filled()
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`)
    const store = narrow(here.files, 1_024)
    const first = run(here, {}, { store })
    for (const key of keys) await first.kv.set(key, 'x'.repeat(200))
    await first.kv.set('large', 'x'.repeat(1_000))
    await readAll(first.kv, [...keys, 'large'])
    await first.kv.close()
    expect(first.near.stats().warm).toMatchObject({ saved: 40, leftOut: 1, errors: 0 })
    expect(here.files.native.size).toBeGreaterThan(10)
    for (const { value } of here.files.native.values()) expect(value.length).toBeLessThanOrEqual(1_024)
    const second = run(here, {}, { store })
    await second.near.loaded()
    expect(second.near.stats().warm).toMatchObject({ loaded: 40, refusals: 0 })
    const third = run(here, {}, { store, maxBytes: 2_048 })
    await third.near.loaded()
    expect(third.near.stats().warm?.loaded).toBeGreaterThan(2)
    expect(third.near.stats().warm?.loaded).toBeLessThan(10)
  })

  test('leaves no record of an earlier save behind', async () => {
    const here = await filled()
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`)
    const store = narrow(here.files, 1_024)
    const large = run(here, {}, { store })
    for (const key of keys) await large.kv.set(key, 'x'.repeat(200))
    await readAll(large.kv, keys)
    await large.near.save()
    await large.near.save()
    const after = here.files.native.size
    await large.near.save()
    expect(here.files.native.size).toBe(after)
    const small = run(here, { maxEntries: 1 }, { store })
    await small.near.loaded()
    await small.kv.close()
    expect(here.files.native.size).toBe(2)
  })
})
