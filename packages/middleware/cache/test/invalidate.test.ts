import { testClock } from '@unikv/conformance'
import { type Bytes, compose, json, type KeyValue, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, createCache, type Invalidates, loaded } from '../src/index.ts'
import { faultyStore } from './faulty-store.ts'
import { localPubSub } from './local-pub-sub.ts'

type Numbers = KeyValue<string, number>

interface Stack {
  readonly layer: Invalidates
  readonly kv: Numbers
}

const forms: [string, (source: Store<Bytes>) => Stack][] = [
  [
    'in this process',
    (source) => {
      const layer = cache()
      return { layer, kv: keyValue(source, [layer, json<number>()]) }
    },
  ],
  [
    'in a store',
    (source) => {
      const layer = cache({ store: memory() })
      return { layer, kv: keyValue(source, [json<number>(), layer]) }
    },
  ],
]

const rejected = (code: string) => expect.objectContaining({ code })

describe.each(forms)('invalidate of a cache %s', (_name, make) => {
  /** `a` and `b` of three views were kept and are written behind the back of the cache. */
  async function outdated() {
    const source = memory()
    const { layer, kv } = make(source)
    const viewsOf = (root: Numbers) => [root.namespace('n'), root.namespace('n').namespace('inner'), root]
    const views = viewsOf(kv)
    const behind = viewsOf(keyValue(source, [json<number>()]))
    const read = async () => (await Promise.all(views.map((view) => view.getMany(['a', 'b'])))).flat()
    for (const value of [1, 2]) {
      for (const view of behind)
        await view.setMany([
          ['a', value],
          ['b', value],
        ])
      expect(await read()).toEqual([1, 1, 1, 1, 1, 1])
    }
    return { layer, views: views as [Numbers, Numbers, Numbers], read }
  }

  test('forgets the keys that are named, of this view alone', async () => {
    const { layer, views, read } = await outdated()
    await layer.invalidate(views[0], ['a', 'a'])
    expect(await read()).toEqual([2, 1, 1, 1, 1, 1])
  })

  test('forgets all keys of a view and of the namespaces inside it', async () => {
    const { layer, views, read } = await outdated()
    await layer.invalidate(views[0])
    expect(await read()).toEqual([2, 2, 2, 2, 1, 1])
    await layer.invalidate(views[2])
    expect(await read()).toEqual([2, 2, 2, 2, 2, 2])
  })

  test('refuses what is no KeyValue, no list of keys, no key', async () => {
    const { layer, views } = await outdated()
    const refused = (view: unknown, keys?: unknown) => layer.invalidate(view as Numbers, keys as string[])
    await expect(refused({})).rejects.toEqual(rejected('INVALID_ARGUMENT'))
    await expect(refused(undefined)).rejects.toEqual(rejected('INVALID_ARGUMENT'))
    await expect(refused(keyValue(memory(), [json()]), ['a'])).rejects.toEqual(rejected('INVALID_ARGUMENT'))
    await expect(refused(views[2], 'a')).rejects.toEqual(rejected('INVALID_ARGUMENT'))
    await expect(refused(views[2], [''])).rejects.toEqual(rejected('INVALID_KEY'))
  })
})

test('invalidate refuses no stack that ends in several stores: this cache may be in any of them', async () => {
  const source = memory()
  const layer = cache()
  const behind = compose(source, [layer])
  const pair = { ...memory(), primary: memory(), read: behind.read.bind(behind) }
  const kv = keyValue(pair, [json<number>()])
  await keyValue(source, [json<number>()]).set('a', 1)
  await kv.get('a')
  await keyValue(source, [json<number>()]).set('a', 2)
  await layer.invalidate(kv, ['a'])
  expect(await kv.get('a')).toBe(2)
})

test.each(['get', 'getEntry', 'invalidate', 'expire', 'invalidateTags', 'clear', 'peek'] as const)(
  '%s refuses options, as it takes none',
  async (method) => {
    const kept = createCache<number>({ tags: () => [] }) as unknown as Record<
      string,
      (...given: unknown[]) => unknown
    >
    const asked = async () => kept[method]?.(method === 'clear' ? {} : 'a', { consistency: 'strong' })
    await expect(asked()).rejects.toEqual(rejected('INVALID_ARGUMENT'))
  },
)

test('clear of a layer refuses options: it forgets everything', () => {
  const layer = cache()
  const loose: { clear(options: unknown): void } = { ...layer }
  expect(() => loose.clear({ prefix: 'x' })).toThrow('takes no options')
})

test('invalidate tells other processes on the bus before it resolves', async () => {
  const source = memory()
  const bus = localPubSub()
  const process = () => {
    const layer = cache({ bus, maxStaleMs: 1_000 })
    return { layer, kv: keyValue(source, [layer, json<number>()]) }
  }
  const [one, two] = [process(), process()]
  const behind = keyValue(source, [json<number>()])
  await expect.poll(() => two.layer.stats().bus?.trusted).toBe(true)
  for (const how of [['a'], undefined]) {
    await behind.set('a', 1)
    await two.kv.get('a', { consistency: 'strong' })
    await behind.set('a', 2)
    await one.layer.invalidate(one.kv, how)
    expect(await two.kv.get('a')).toBe(2)
  }
  await Promise.all([one.kv.close(), two.kv.close()])
})

test('invalidate rejects where the cache store confirms nothing', async () => {
  const remote = faultyStore()
  const layer = cache({ store: remote.store, timeoutMs: 50 })
  const kv = keyValue(memory(), [json<number>(), layer])
  await kv.set('a', 1)
  remote.state = 'down'
  const refusal = { code: 'UNAVAILABLE', message: expect.stringContaining('Call invalidate again') }
  await expect(layer.invalidate(kv, ['a'])).rejects.toMatchObject(refusal)
})

test('invalidate refuses keys that are hashed above the cache', async () => {
  const layer = cache({ store: memory() })
  const kv = keyValue(memory(), [json<number>(), layer])
  const scan = { order: 'none', delivery: 'once', prefix: 'namespaces' } as const
  const hashed = Object.create(kv, { capabilities: { value: { ...kv.capabilities, scan } } }) as Numbers
  await expect(layer.invalidate(hashed, ['a'])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

describe('expire', () => {
  const failing = () => Promise.reject(new Error('down'))

  test('ends the freshness of what is kept, which goes on to stand in, and is revalidated', async () => {
    const clock = testClock(1_000)
    const kept = createCache<number>({ clock, monotonicClock: clock, staleIfErrorMs: 100, tags: () => ['t'] })
    await kept.cached('a', () => loaded(1, { version: 'v1' }))
    await kept.expire('a')
    await kept.expire('absent')
    expect(kept.peek('a')).toBeUndefined()
    expect(await kept.cachedEntry('a', failing)).toMatchObject({ value: 1, meta: { stale: true } })
    clock.advance(60)
    await kept.expire('a')
    clock.advance(60)
    await expect(kept.cached('a', failing)).rejects.toThrow('down')
    const versions: unknown[] = []
    await kept.cached('a', ({ ifNotVersion }) => {
      versions.push(ifNotVersion)
      return loaded(2)
    })
    expect(versions).toEqual(['v1'])
    await kept.expire('a')
    await kept.invalidateTags('t')
    await expect(kept.cached('a', failing)).rejects.toThrow('down')
  })

  test('lets nothing be kept that was being loaded, and forgets the record of the second tier', async () => {
    const store = memory()
    const kept = createCache<number>({ below: { store, namespace: 'n' }, staleIfErrorMs: 1_000 })
    await kept.cached('a', async () => 1)
    await kept.expire('a')
    expect(await kept.get('a')).toBeUndefined()
    expect(await kept.cachedEntry('a', failing)).toMatchObject({ value: 1, meta: { stale: true } })
    let answer = (_value: number): void => {}
    const loading = kept.cached('b', () => new Promise<number>((resolve) => (answer = resolve)))
    await expect.poll(() => kept.stats().below?.loads).toBe(3)
    await kept.expire('b')
    answer(5)
    expect(await loading).toBe(5)
    expect(await kept.get('b')).toBeUndefined()
  })
})
