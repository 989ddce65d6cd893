import { type Bytes, bytes, codec, json, keyValue, passThrough, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, type ObjectCacheOptions, type WarmOptions } from '../src/index.ts'
import { filled, letters, readAll, run } from './warm-setting.ts'

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
    const options = { freshForMs: 10, staleIfErrorMs: 600_000 }
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

  test('keepIf and a function for freshForMs are asked of what was saved, too', async () => {
    const here = await filled()
    const first = run(here, { freshForMs: 1_000 })
    await readAll(first.kv, letters)
    await first.kv.close()
    const options: ObjectCacheOptions = {
      keepIf: (key) => key !== 'a',
      freshForMs: (key) => (key === 'b' ? 0 : 1_000),
    }
    const second = run(here, options, { resume: 'fresh' })
    await second.near.loaded()
    expect(second.near.stats().entries).toBe(4)
    await readAll(second.kv, letters)
    expect(second.asked).toEqual(['a', 'b'])
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
    for (const name of ['buffer', 'bytes']) expect(Buffer.isBuffer(kept.get(name))).toBe(false)
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
