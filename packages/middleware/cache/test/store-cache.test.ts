import { testClock } from '@unikv/conformance'
import {
  type Bytes,
  compose,
  json,
  keyValue,
  type PassThrough,
  passThrough,
  type Store,
  StoreError,
} from '@unikv/core'
import { callOptions, canonicalKey, namespacePrefix } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, type StoreCacheOptions } from '../src/index.ts'
import { gatedStore, turn } from './gated-store.ts'

const bytes = (text: string): Bytes => Buffer.from(text)
const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : Buffer.from(value as Bytes).toString()
const down = () => new StoreError('UNAVAILABLE', 'down')

/** A source, a cache store and what lies between them, all on one clock. */
function setting(options: Partial<StoreCacheOptions> = {}, between: readonly PassThrough[] = []) {
  const clock = testClock(1_000_000)
  const source = memory({ clock })
  const asked: string[][] = []
  const spy = passThrough('spy', {
    wrap: (inner) => ({
      read: (reads, call) => {
        asked.push(reads.map(({ key, ifNotVersion }) => (ifNotVersion === undefined ? key : `${key}?`)))
        return inner.read(reads, call)
      },
    }),
  })
  const remote = memory({ clock, name: 'remote' })
  const c = cache({ clock, store: compose(remote, between), ...options })
  const kv = keyValue(source, [c, spy], { clock })
  const behind = keyValue(source, [], { clock })
  return { clock, source, remote, c, kv, behind, asked }
}

/** Fails when told so; `'silent'`: never answers. */
function unreliable(): { readonly layer: PassThrough; state: 'up' | 'down' | 'silent' } {
  const at: { state: 'up' | 'down' | 'silent' } = { state: 'up' }
  const through = <T>(run: () => T | Promise<T>): T | Promise<T> => {
    if (at.state === 'up') return run()
    return at.state === 'down' ? Promise.reject(down()) : new Promise<T>(() => {})
  }
  const layer = passThrough('unreliable', {
    wrap: (inner) => ({
      read: (reads, call) => through(() => inner.read(reads, call)),
      write: (mutations, call) => through(() => inner.write(mutations, call)),
    }),
  })
  return Object.assign(at, { layer })
}

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

  test('fails in those items of a batch alone that the store could not answer', async () => {
    const { source, remote, clock } = setting()
    const flaky = unreliable()
    const stack = compose(source, [cache({ clock, store: remote }), flaky.layer]) as Store<Bytes>
    const kv = keyValue(stack)
    await kv.set('a', bytes('1'))
    await kv.get('a')
    flaky.state = 'down'
    for (const head of [undefined, true]) {
      const results = await stack.read(
        [
          { key: 'a', head },
          { key: 'b', head },
        ],
        callOptions(),
      )
      expect(results).toMatchObject([{ version: expect.any(String) }, { code: 'UNAVAILABLE' }])
    }
  })

  test('keeps its records in a namespace of its own, so that one store may hold several', async () => {
    const { remote, kv } = setting({ namespace: 'users' })
    await kv.set('a', bytes('1'))
    await kv.get('a')
    expect([...remote.native.keys()]).toEqual([canonicalKey(namespacePrefix(['users']), 'a')])
    expect(await keyValue(remote).namespace('users').clear({ all: true })).toBe(1)
  })

  test('removes the record when a write begins and again when it ends', async () => {
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
    const kv = keyValue(source, [cache({ clock, store }), spy('source')])
    await kv.set('a', bytes('1'))
    expect(writes).toEqual(['cache delete', 'source set', 'cache delete'])
  })

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

  test('closes both stores', async () => {
    const closed: string[] = []
    const closing = (name: string): PassThrough =>
      passThrough(name, {
        wrap: () => ({
          close: async () => {
            closed.push(name)
          },
        }),
      })
    const store = compose(memory(), [closing('cache store')])
    const kv = keyValue(memory(), [cache({ store }), closing('store')])
    await kv.close()
    expect(closed.toSorted()).toEqual(['cache store', 'store'])
  })
})

describe('freshness', () => {
  test('ends after freshForMs; then only the version is asked for, and the record is renewed', async () => {
    const { kv, clock, asked, c } = setting({ freshForMs: 1_000 })
    await kv.set('a', bytes('1'))
    await kv.get('a')
    clock.advance(1_000)
    expect((await kv.getEntry('a'))?.meta).toEqual({ tier: 'remote' })
    expect(asked).toEqual([['a'], ['a?']])
    clock.advance(999)
    await kv.get('a')
    expect(asked).toHaveLength(2)
    expect(c.stats()).toMatchObject({ staleHits: 1, revalidations: 1 })
  })

  test('is bounded to a minute by default, for what other processes write', async () => {
    const { kv, clock, behind } = setting()
    await kv.set('a', bytes('1'))
    await kv.get('a')
    await behind.set('a', bytes('2'))
    clock.advance(59_999)
    expect(textOf(await kv.get('a'))).toBe('1')
    clock.advance(1)
    expect(textOf(await kv.get('a'))).toBe('2')
  })

  test('works on cache stores that cannot expire records', async () => {
    const noTtl = passThrough('no ttl', { capabilities: { ttl: false }, wrap: () => ({}) })
    const { kv, clock, behind, asked } = setting({ freshForMs: 100, keepForMs: 100 }, [noTtl])
    await kv.set('mortal', bytes('1'), { ttlMs: 50 })
    await kv.set('a', bytes('1'))
    await kv.getMany(['a', 'mortal'])
    clock.advance(50)
    expect(await kv.get('mortal')).toBeUndefined()
    await behind.set('a', bytes('2'))
    clock.advance(150)
    expect(textOf(await kv.get('a'))).toBe('2')
    expect(asked.at(-1)).toEqual(['a'])
  })

  test('that another process promised for longer, or under a clock that was set back, is not believed', async () => {
    const { source, remote, clock, kv } = setting({ freshForMs: 1_000 })
    const generous = keyValue(
      source,
      [cache({ clock, store: remote, freshForMs: Number.POSITIVE_INFINITY })],
      { clock },
    )
    await generous.set('a', bytes('1'))
    await generous.get('a')
    await keyValue(source).set('a', bytes('2'))
    expect(textOf(await generous.get('a'))).toBe('1')
    expect(textOf(await kv.get('a'))).toBe('2')
  })

  test('of absent keys lasts absentForMs', async () => {
    const { kv, clock, behind, asked } = setting({ absentForMs: 100 })
    expect(await kv.get('a')).toBeUndefined()
    expect(await kv.get('a')).toBeUndefined()
    expect(asked).toHaveLength(1)
    await behind.set('a', bytes('1'))
    clock.advance(100)
    expect(textOf(await kv.get('a'))).toBe('1')
    await kv.delete('a')
    await kv.get('a')
    await kv.set('a', bytes('2'))
    expect(textOf(await kv.get('a'))).toBe('2')
  })

  test('is no matter to strong reads, which renew the record', async () => {
    const { kv, behind } = setting()
    await kv.set('a', bytes('1'))
    await kv.get('a')
    await behind.set('a', bytes('2'))
    expect(textOf(await kv.get('a', { consistency: 'strong' }))).toBe('2')
    expect(await kv.has('a', { consistency: 'strong' })).toBe(true)
    expect((await kv.getEntry('a'))?.meta?.tier).toBe('remote')
    expect(textOf(await kv.get('a'))).toBe('2')
  })
})

describe('a cache store that fails', () => {
  test('is a miss, which is counted, and fails no write', async () => {
    const flaky = unreliable()
    const { kv, c } = setting({}, [flaky.layer])
    flaky.state = 'down'
    await kv.set('a', bytes('1'))
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(c.stats().storeErrors).toBeGreaterThanOrEqual(4)
    expect(c.stats()).toMatchObject({ hits: 0, misses: 2 })
  })

  test("fails reads, but no write, with onError: 'fail'", async () => {
    const flaky = unreliable()
    const { kv } = setting({ onError: 'fail' }, [flaky.layer])
    await kv.set('a', bytes('1'))
    await kv.get('a')
    flaky.state = 'down'
    await expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await kv.set('b', bytes('1'))
  })

  test('does not bring back what could not be invalidated', async () => {
    const flaky = unreliable()
    const { kv, asked } = setting({}, [flaky.layer])
    await kv.set('a', bytes('1'))
    await kv.get('a')
    flaky.state = 'down'
    await kv.set('a', bytes('2'))
    flaky.state = 'up'
    expect(textOf(await kv.get('a'))).toBe('2')
    expect((await kv.getEntry('a'))?.meta?.tier).toBe('remote')
    expect(textOf(await kv.get('a'))).toBe('2')
    expect(asked).toHaveLength(2)
  })

  test('is not read at all while more keys could not be invalidated than are remembered', async () => {
    const flaky = unreliable()
    const { kv, c } = setting({}, [flaky.layer])
    await kv.set('old', bytes('1'))
    await kv.get('old')
    flaky.state = 'down'
    const many = Array.from({ length: 10_001 }, (_, i) => [`k${i}`, bytes('1')] as const)
    await kv.setMany([['old', bytes('2')], ...many])
    flaky.state = 'up'
    expect(textOf(await kv.get('old'))).toBe('2')
    expect(textOf(await kv.get('old'))).toBe('2')
    expect(c.stats().hits).toBe(0)
  })

  test('that never answers delays a call by timeoutMs, not for ever', async () => {
    const flaky = unreliable()
    const { kv, c } = setting({ timeoutMs: 20 }, [flaky.layer])
    flaky.state = 'silent'
    await kv.set('a', bytes('1'))
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(c.stats().storeErrors).toBeGreaterThan(0)
    flaky.state = 'up'
    expect(textOf(await kv.get('a'))).toBe('1')
    await kv.close()
  })

  test('or holds what is no cache record is passed by, and mended', async () => {
    const { kv, remote, c, asked } = setting()
    await kv.set('a', bytes('1'))
    for (const spoilt of [
      '',
      'x',
      '\xce\x01',
      '\xce\x02'.padEnd(30),
      '\xce\x01\x09'.padEnd(30, '\0'),
      '\xce\x01\x01\xff'.padEnd(30, '\0'),
    ]) {
      await keyValue(remote).namespace('cache').set('a', Buffer.from(spoilt, 'latin1'))
      expect(textOf(await kv.get('a'))).toBe('1')
      expect(textOf(await kv.get('a'))).toBe('1')
    }
    expect(c.stats()).toMatchObject({ storeErrors: 6, hits: 6 })
    expect(asked).toHaveLength(6)
  })
})

describe('a fill', () => {
  test('that is overtaken by a write is not made', async () => {
    const { remote, clock } = setting()
    const source = gatedStore({ clock })
    const c = cache({ clock, store: remote })
    const stack = compose(source, [c]) as Store<Bytes>
    const reader = keyValue(stack)
    const writer = keyValue(stack)
    await keyValue(source.inner).set('a', bytes('old'))
    const reading = reader.get('a')
    await turn()
    source.look()
    await writer.delete('a')
    await source.open()
    expect(textOf(await reading)).toBe('old')
    expect(remote.native.size).toBe(0)
    const next = reader.get('a')
    await turn()
    await source.open()
    expect(await next).toBeUndefined()
  })

  test('that is on its way when a write begins is removed before the write is acknowledged', async () => {
    const { source, remote, clock } = setting()
    let land = (): void => {}
    const slowSets = passThrough('slow sets', {
      wrap: (inner) => ({
        write: async (mutations, call) => {
          if (mutations[0]?.type === 'set')
            await new Promise<void>((resolve) => {
              land = resolve
            })
          return inner.write(mutations, call)
        },
      }),
    })
    const store = compose(remote, [slowSets])
    const stack = compose(source, [cache({ clock, store, timeoutMs: 10_000 })]) as Store<Bytes>
    const reader = keyValue(stack)
    const writer = keyValue(stack)
    await keyValue(source).set('a', bytes('old'))
    const reading = reader.get('a')
    await turn()
    const writing = writer.set('a', bytes('new'))
    await turn()
    land()
    await writing
    expect(textOf(await reading)).toBe('old')
    expect(remote.native.size).toBe(0)
  })

  test('that lands after a write stopped waiting for it is not read, and removed', async () => {
    const { source, remote, clock } = setting()
    const landings: (() => void)[] = []
    const slowSets = passThrough('slow sets', {
      wrap: (inner) => ({
        write: async (mutations, call) => {
          if (mutations[0]?.type === 'set') await new Promise<void>((resolve) => void landings.push(resolve))
          return inner.write(mutations, call)
        },
      }),
    })
    const store = compose(remote, [slowSets])
    const stack = compose(source, [cache({ clock, store, timeoutMs: 20 })]) as Store<Bytes>
    const reader = keyValue(stack)
    await keyValue(source).set('a', bytes('old'))
    expect(textOf(await reader.get('a'))).toBe('old')
    await keyValue(stack).set('a', bytes('new'))
    landings[0]?.()
    await turn()
    expect(remote.native.size).toBe(0)
    expect(textOf(await reader.get('a'))).toBe('new')
    for (const land of landings) land()
  })
})

describe('what is sealed below', () => {
  const sealed = passThrough('sealed', { capabilities: { sealed: true }, wrap: () => ({}) })

  test('is not kept in plain text elsewhere unless that is said', () => {
    const leak = () => compose(memory(), [cache({ store: memory({ name: 'remote' }) }), sealed])
    expect(leak).toThrow('The cache would keep plain text of a sealed store in remote')
    compose(memory(), [cache({ store: memory(), plaintext: 'allowed' }), sealed])
  })

  test('may be kept by a cache below it, or in a cache store that is sealed too', () => {
    compose(memory(), [sealed, cache({ store: memory() })])
    compose(memory(), [cache({ store: compose(memory(), [sealed]) }), sealed])
  })
})

describe('the options', () => {
  test.each<[Partial<StoreCacheOptions>, string]>([
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ onError: 'ignore' as never }, 'onError'],
    [{ freshForMs: Number.NaN }, 'freshForMs'],
    [{ namespace: '' }, 'namespace'],
  ])('%j are refused', (options, name) => {
    expect(() => compose(memory(), [cache({ store: memory(), ...options })])).toThrow(name)
  })

  test('a store of documents is no cache store', () => {
    const inner = memory()
    const documents = { ...inner, capabilities: { ...inner.capabilities, documents: true } }
    expect(() => cache({ store: documents })).toThrow('must hold bytes')
  })

  test('the layer takes bytes only', () => {
    // @ts-expect-error -- objects below
    expect(() => keyValue(memory(), [cache({ store: memory() }), json()])).toThrow('needs bytes')
  })

  test('nothing at hand is claimed to be synchronous', () => {
    const stack = compose(memory(), [cache({ store: memory() })])
    expect(stack.capabilities.sync).toBe('none')
  })
})
