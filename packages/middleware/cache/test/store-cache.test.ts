import { compose, keyValue, type PassThrough, passThrough } from '@unikv/core'
import { canonicalKey, namespacePrefix } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { cache } from '../src/index.ts'
import { bytes, textOf } from './gated-cache.ts'
import { gatedStore, turn } from './gated-store.ts'
import { setting } from './store-cache-setting.ts'

describe('a cache in another store', () => {
  test('answers from it after the first read, with version, expiry and the name of the tier', async () => {
    const { kv, asked, c, clock } = setting()
    const { version } = await kv.set('a', bytes('1'), { ttlMs: 5_000 })
    await kv.get('a')
    const entry = await kv.getEntry('a')
    expect(entry).toEqual({
      value: expect.anything(),
      version,
      expiresAt: clock() + 5_000,
      meta: { tier: 'remote' },
    })
    expect(textOf(entry?.value)).toBe('1')
    expect(await kv.has('a')).toBe(true)
    expect(await kv.revalidate('a', version ?? '')).toMatchObject({ notModified: true })
    expect(asked).toEqual([['a']])
    expect(c.stats()).toMatchObject({ hits: 3, misses: 1, loads: 1, tier: 'remote', entries: undefined })
  })

  test('serves any number of processes', async () => {
    const { source, remote, clock, kv } = setting()
    await kv.set('a', bytes('1'))
    await kv.get('a')
    const other = cache({ clock, store: remote })
    const elsewhere = keyValue(source, [other], { clock })
    expect(textOf(await elsewhere.get('a'))).toBe('1')
    expect(other.stats()).toMatchObject({ hits: 1, loads: 0 })
    await elsewhere.set('a', bytes('2'))
    expect(textOf(await kv.get('a'))).toBe('2')
  })

  test('asks it and the store in one call each for a batch', async () => {
    const { kv, asked, c } = setting()
    await kv.setMany([
      ['a', bytes('a')],
      ['b', bytes('b')],
      ['c', bytes('c')],
    ])
    await kv.getMany(['b'])
    expect((await kv.getMany(['a', 'b', 'c', 'd'])).map(textOf)).toEqual(['a', 'b', 'c', undefined])
    expect(asked).toEqual([['b'], ['a', 'c', 'd']])
    expect(c.stats()).toMatchObject({ hits: 1, misses: 4 })
  })

  test('keeps its records in a namespace of its own, so that one store may hold several', async () => {
    const { remote, kv } = setting({ namespace: 'users' })
    await kv.set('a', bytes('1'))
    await kv.get('a')
    expect([...remote.native.keys()]).toEqual([canonicalKey(namespacePrefix(['users']), 'a')])
    expect(await keyValue(remote).namespace('users').clear({ all: true })).toBe(1)
  })

  test.each([
    [true, ['cache set', 'source set', 'cache delete']],
    [false, ['cache delete', 'source set', 'cache delete']],
  ])(
    'voids the record when a write begins and removes it when it ends (leases: %s)',
    async (leases, calls) => {
      const { remote, source, clock } = setting()
      const writes: string[] = []
      const spy = (name: string): PassThrough =>
        passThrough(name, {
          wrap: (inner) => ({
            write: async (mutations, call) => {
              writes.push(`${name} ${mutations[0]?.type}`)
              return inner.write(mutations, call)
            },
          }),
        })
      const store = compose(remote, [spy('cache')])
      const kv = keyValue(source, [cache({ clock, store, leases }), spy('source')])
      await kv.set('a', bytes('1'))
      expect(writes).toEqual(calls)
    },
  )

  test('shares one look into it among concurrent readers', async () => {
    const { source, clock } = setting()
    const remote = gatedStore({ clock, name: 'remote' })
    const c = cache({ clock, store: remote })
    const kv = keyValue(source, [c], { clock })
    const waiters = Array.from({ length: 1_000 }, () => kv.get('a'))
    await turn()
    expect(remote.reads).toHaveLength(1)
    await remote.open()
    await Promise.all(waiters)
    expect(c.stats()).toMatchObject({ loads: 1, joins: 999 })
  })

  test('gives concurrent readers bytes of their own', async () => {
    const { source, clock } = setting()
    const remote = gatedStore({ clock, name: 'remote' })
    const kv = keyValue(source, [cache({ clock, store: remote })], { clock })
    await kv.set('a', bytes('1'))
    const both = Promise.all([kv.get('a'), kv.get('a')])
    await turn()
    await remote.open()
    const [one, two] = await both
    one?.fill(0)
    expect(textOf(two)).toBe('1')
  })

  test('passes by keys that are longer than it takes', async () => {
    const { kv, asked, remote } = setting({}, [
      passThrough('short', { capabilities: { maxKeyBytes: 20 }, wrap: () => ({}) }),
    ])
    const key = 'k'.repeat(30)
    await kv.set(key, bytes('1'))
    await kv.get(key)
    expect(textOf(await kv.get(key))).toBe('1')
    expect(asked).toHaveLength(2)
    expect(remote.native.size).toBe(0)
  })

  test('does not keep values that are larger than it takes', async () => {
    const { kv, c } = setting({}, [
      passThrough('small', { capabilities: { maxValueBytes: 100 }, wrap: () => ({}) }),
    ])
    await kv.set('a', Buffer.alloc(100))
    await kv.get('a')
    expect(c.stats()).toMatchObject({ refusals: 1, storeErrors: 0 })
  })
})
