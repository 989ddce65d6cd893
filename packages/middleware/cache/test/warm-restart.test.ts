import {
  type Bytes,
  bytes,
  codec,
  compose,
  json,
  keyValue,
  passThrough,
  type Store,
  StoreError,
} from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import {
  cache,
  type ObjectCacheOptions,
  type Policy,
  type PolicyName,
  type Resident,
  type WarmOptions,
} from '../src/index.ts'
import { turn } from './gated-store.ts'
import { narrow, readAll, run, world } from './warm-setting.ts'

const letters = ['a', 'b', 'c', 'd', 'e']

async function filled(keys: readonly string[] = letters) {
  const here = world()
  const { kv } = run(here, {}, { store: memory() })
  for (const key of keys) await kv.set(key, { key })
  return here
}

describe('after a restart', () => {
  test('entries are there again, and revalidated without a body', async () => {
    const here = await filled()
    const first = run(here)
    await readAll(first.kv, letters)
    await first.kv.close()
    expect(first.near.stats().warm).toMatchObject({ saves: 1, saved: 5, leftOut: 0, errors: 0 })
    const second = run(here)
    await second.near.loaded()
    expect(second.near.stats()).toMatchObject({ entries: 5, warm: { loaded: 5, refusals: 0 } })
    for (const key of letters) expect(await second.kv.get(key)).toEqual({ key })
    expect(second.near.stats()).toMatchObject({ revalidations: 5, staleHits: 5 })
    await readAll(second.kv, letters)
    expect(second.asked).toEqual(letters)
  })

  test('what others wrote meanwhile is seen', async () => {
    const here = await filled(['a'])
    const first = run(here)
    await first.kv.get('a')
    await first.kv.close()
    await run(here, {}, { store: memory() }).kv.set('a', { key: 'later' })
    const second = run(here)
    await second.near.loaded()
    expect(await second.kv.get('a')).toEqual({ key: 'later' })
  })

  test('entries stand in for a store that fails, as staleIfErrorMs says', async () => {
    const here = await filled(['a'])
    const first = run(here, { freshForMs: 10 })
    await first.kv.get('a')
    await first.kv.close()
    const options = { freshForMs: 10, staleIfErrorMs: 100 }
    const near = cache({ ...options, clock: () => here.wall, warm: { store: here.files } })
    const broken = passThrough('broken', {
      wrap: () => ({
        read: () => {
          throw new StoreError('UNAVAILABLE', 'down')
        },
      }),
    })
    const kv = keyValue(here.source, [near, json(), broken])
    await near.loaded()
    expect(await kv.getEntry('a')).toMatchObject({ value: { key: 'a' }, meta: { stale: true } })
  })

  test("with resume: 'fresh' entries are answered without asking", async () => {
    const here = await filled()
    const first = run(here, { freshForMs: 1_000 })
    await readAll(first.kv, letters)
    await first.kv.close()
    const second = run(here, { freshForMs: 1_000 }, { resume: 'fresh' })
    await second.near.loaded()
    await readAll(second.kv, letters)
    expect(second.asked).toEqual([])
  })

  test('values come back as they were: types, bytes, names such as __proto__', async () => {
    const cycle: unknown[] = []
    cycle.push(cycle)
    const values: Record<string, unknown> = {
      date: { at: new Date(5) },
      plain: { list: [1, 'a', null, { deep: [true] }] },
      big: { n: 2n, cycle },
      map: new Map<unknown, unknown>([[1, new Set([2n])]]),
      bytes: new Uint8Array([1, 2, 3]),
      buffer: Buffer.from('text'),
      empty: new Uint8Array(),
      hostile: JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'),
      zero: -0,
      nothing: null,
      text: 'é\u0000\u{1f600}',
    }
    const { kept, near } = await restarted(values)
    expect(near.stats().warm).toMatchObject({ loaded: Object.keys(values).length, refusals: 0 })
    for (const [name, value] of Object.entries(values)) expect(kept.get(name), name).toStrictEqual(value)
    expect(Buffer.isBuffer(kept.get('buffer'))).toBe(true)
    expect(Buffer.isBuffer(kept.get('bytes'))).toBe(false)
    expect(Object.is(kept.get('zero'), -0)).toBe(true)
    expect({}).not.toHaveProperty('polluted')
  })

  test('what the codec does not give back as it was is left out, and counted', async () => {
    class Point {
      readonly x = 1
    }
    const values = {
      fine: 1,
      instance: new Point(),
      bare: Object.assign(Object.create(null), { x: 1 }),
      inside: { buffer: Buffer.from('x') },
      date: { at: new Date(1) },
    }
    const { kept, saved } = await restarted(values)
    expect(saved).toMatchObject({ saved: 2, leftOut: 3 })
    expect(Array.from(kept.keys())).toEqual(['fine', 'date'])
    expect((await restarted(values, { codec: json() })).saved).toMatchObject({ saved: 1, leftOut: 4 })
  })

  /** What a cache of these values, which are held as they are, has again after a restart. */
  async function restarted(values: Readonly<Record<string, unknown>>, warm: Partial<WarmOptions> = {}) {
    const held: unknown[] = []
    const asIs = codec<unknown>({
      name: 'as-is',
      encode: (value) => Buffer.from(String(held.push(value) - 1)),
      decode: (stored) => held[Number(Buffer.from(stored).toString())],
    })
    const source = memory()
    const options = { freshForMs: 60_000, share: 'reference' as const }
    const store = memory()
    const make = () => {
      const near = cache({ ...options, warm: { store, resume: 'fresh', ...warm } })
      return { near, kv: keyValue(source, [near, asIs]) }
    }
    const first = make()
    for (const [key, value] of Object.entries(values)) await first.kv.set(key, value)
    for (const key of Object.keys(values)) await first.kv.get(key)
    await first.kv.close()
    held.fill('from the source')
    const { near, kv } = make()
    await near.loaded()
    const kept = new Map<string, unknown>()
    for (const key of Object.keys(values)) {
      const value = await kv.get(key)
      if (value !== 'from the source') kept.set(key, value)
    }
    return { kept, near, saved: first.near.stats().warm }
  }

  test('a cache of bytes without a codec has its bytes again', async () => {
    const source = memory()
    const store = memory()
    const open = () => {
      const near = cache({ freshForMs: 60_000, warm: { store, resume: 'fresh' } })
      return { near, kv: keyValue(source, [near, bytes()]) }
    }
    const first = open()
    await first.kv.set('a', Buffer.from('1'))
    await first.kv.get('a')
    await first.kv.close()
    await source.write([{ type: 'delete', key: 'a', version: '0'.repeat(24) }], { deadlineAt: 1e15 })
    const second = open()
    await second.near.loaded()
    expect(Buffer.from((await second.kv.get('a')) as Bytes).toString()).toBe('1')
  })

  test('absent keys, and records that have expired, are no part of it', async () => {
    const here = await filled(['a', 'b'])
    const first = run(here, { absentForMs: 1_000 })
    await first.kv.set('b', 1, { ttlMs: 50 })
    await readAll(first.kv, ['a', 'b', 'none'])
    here.wall += 49
    await first.near.save()
    expect(first.near.stats().warm?.saved).toBe(2)
    here.wall += 1
    const second = run(here)
    await second.near.loaded()
    expect(second.near.stats()).toMatchObject({ entries: 1, warm: { loaded: 1, refusals: 0 } })
  })
})

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

describe('who may have a warm restart', () => {
  const sealed = passThrough('sealed', { capabilities: { sealed: true }, wrap: () => ({}) })

  test('over a sealed store: only with a sealed store, or in plain text by consent', async () => {
    const over = (warm: WarmOptions) => compose(memory(), [cache({ warm }), json(), sealed])
    expect(() => over({ store: memory() })).toThrowError(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('sealed') }),
    )
    for (const warm of [
      { store: compose(memory(), [sealed]) },
      { store: memory(), plaintext: 'allowed' as const },
    ])
      await over(warm).close()
  })

  test('one stack a layer', async () => {
    const near = cache({ warm: { store: memory() } })
    const stack = compose(memory(), [near])
    expect(() => compose(memory(), [near])).toThrowError(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('one stack') }),
    )
    await stack.close()
  })

  test('a store that revalidates, or a cache that has another use for the entries', async () => {
    const blind = passThrough('blind', { capabilities: { conditionalRead: false }, wrap: () => ({}) })
    const over = (options: ObjectCacheOptions) =>
      compose(memory(), [cache({ warm: { store: memory() }, ...options }), blind])
    expect(() => over({})).toThrowError(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        message: expect.stringContaining('cannot revalidate'),
      }),
    )
    await over({ staleIfErrorMs: 1 }).close()
    await over({ freshForMs: 1, warm: { store: memory(), resume: 'fresh' } }).close()
  })

  test.each([
    [{ maxBytes: 0 }, 'maxBytes'],
    [{ maxAgeMs: 0 }, 'maxAgeMs'],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs'],
    [{ everyMs: -1 }, 'everyMs'],
    [{ resume: 'always' as never }, 'resume'],
    [{ resume: 'fresh' as const }, 'finite freshForMs'],
    [{ namespace: 'x'.repeat(256) }, 'namespace'],
    [{ namespace: '' }, 'namespace'],
    [{ store: narrow(memory(), 1_000) }, '1000 bytes'],
    [{ store: compose(memory(), [json()]) }, 'bytes'],
  ])('wrong options are refused: %o', (warm, message) => {
    expect(() => cache({ warm: { store: memory(), ...warm } })).toThrowError(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(message) }),
    )
  })
})

describe('in its store', () => {
  test('it is under its namespace, and nothing that a user sees', async () => {
    const here = await filled()
    const mine = run(here, {}, { namespace: 'mine' })
    await readAll(mine.kv, ['a', 'b'])
    await mine.kv.close()
    const files = keyValue(here.files, [bytes()])
    await files.namespace('mine').set('a', Buffer.from('of somebody else'))
    const seen: string[] = []
    for await (const key of files.namespace('mine').keys()) seen.push(key)
    expect(seen).toEqual(['a'])
    const other = run(here, {}, { namespace: 'other' })
    await other.near.loaded()
    expect(other.near.stats().warm).toMatchObject({ loaded: 0, refusals: 0 })
    const again = run(here, {}, { namespace: 'mine' })
    await again.near.loaded()
    expect(again.near.stats().warm?.loaded).toBe(2)
    await files.namespace('mine').clear({ all: true })
    expect(here.files.native.size).toBe(0)
  })

  test('what another codec saved is refused', async () => {
    const here = await filled()
    const first = run(here)
    await readAll(first.kv, letters)
    await first.kv.close()
    const second = run(here, {}, { codec: json() })
    await second.near.loaded()
    expect(second.near.stats()).toMatchObject({ entries: 0, warm: { loaded: 0, refusals: 1, errors: 0 } })
  })
})

test('nothing is saved before the stack and after it', async () => {
  const near = cache({ warm: { store: memory() } })
  await expect(near.save()).rejects.toMatchObject({ code: 'CLOSED' })
  const stack: Store<Bytes> = compose(memory(), [near])
  expect(await near.save()).toEqual({ entries: 0, bytes: 0 })
  await stack.close()
  await stack.close()
  await expect(near.save()).rejects.toMatchObject({ code: 'CLOSED' })
  await turn()
  expect(near.stats().warm).toMatchObject({ saves: 2, errors: 0 })
})
