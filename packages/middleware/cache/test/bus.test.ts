import { testClock } from '@unikv/conformance'
import {
  type AnyStore,
  compose,
  json,
  keyValue,
  type PassThrough,
  passThrough,
  type Store,
  StoreError,
} from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { pause, replaceTimers } from '@unikv/core/platform'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type BusListener,
  cache,
  createCache,
  type InvalidationBus,
  type ObjectCacheOptions,
  type PubSub,
  pubSubBus,
} from '../src/index.ts'
import { doubtForMs } from '../src/loads/writes-under-way.ts'
import { bytes, textOf } from './gated-cache.ts'
import { gatedStore, turn } from './gated-store.ts'
import { localPubSub } from './local-pub-sub.ts'

const maxStaleMs = 100

/** Processes over one store, each with a cache that hears of the others. */
async function processes(count: number, options: Partial<ObjectCacheOptions> = {}) {
  const clock = testClock(1_000_000)
  const bus = localPubSub()
  const source = memory({ clock })
  const asked: string[] = []
  const state: { isDown: boolean; isLate: boolean; arrive?: () => unknown } = { isDown: false, isLate: false }
  const spy: PassThrough = passThrough('spy', {
    wrap: (inner) => ({
      read: (reads, call) => {
        if (state.isDown) throw new StoreError('UNAVAILABLE', 'down')
        for (const { key, ifNotVersion } of reads) asked.push(ifNotVersion === undefined ? key : `${key}?`)
        return inner.read(reads, call)
      },
      write: (mutations, call) => {
        if (!state.isLate) return inner.write(mutations, call)
        state.arrive = () => inner.write(mutations, call)
        throw new StoreError('OUTCOME_UNKNOWN', 'no answer')
      },
    }),
  })
  const all = Array.from({ length: count }, () => {
    const layer = cache({ bus, maxStaleMs, clock, monotonicClock: clock, ...options })
    return { layer, kv: keyValue(source, [layer, json(), spy], { clock }) }
  })
  // Who has not been heard of yet is heard of now, and trusted after the next ping.
  await pinged()
  await pinged()
  asked.length = 0
  const [one, two] = all as [(typeof all)[0], (typeof all)[0]]
  return { clock, bus, asked, state, all, one, two, behind: keyValue(source, [json()], { clock }) }
}

/** Every process has sent a ping, and those that were delivered came back. */
function pinged(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, maxStaleMs / 2))
}

describe('a bus', () => {
  test('tells others of clear, also of what it did not list', async () => {
    const { one, two, behind } = await processes(2)
    await two.kv.set('k', 1)
    await two.kv.get('k')
    expect(await two.kv.get('k')).toBe(1)
    await behind.delete('k')
    expect(await two.kv.get('k')).toBe(1)
    await one.kv.clear({ all: true })
    expect(await two.kv.get('k')).toBeUndefined()
  })

  test('tells the caches that applications drive themselves, too, and their stats tell of it', async () => {
    const bus = localPubSub()
    const clock = testClock(1_000_000)
    const make = () => createCache<number>({ bus, maxStaleMs, clock, monotonicClock: clock })
    const [one, two] = [make(), make()]
    onTestFinished(async () => void (await Promise.all([one.close(), two.close()])))
    await pinged()
    await pinged()
    expect(await one.cached('a', () => 1)).toBe(1)
    expect(await one.cached('a', () => 2)).toBe(1)
    await two.invalidate('a')
    expect(await one.cached('a', () => 2)).toBe(2)
    expect(one.stats().bus).toMatchObject({ trusted: true, invalidations: 1 })
    expect(createCache().stats().bus).toBeUndefined()
  })

  test('tells other processes of a write before it is acknowledged', async () => {
    const { one, two, asked } = await processes(2)
    await one.kv.set('a', 1)
    await one.kv.get('a')
    await one.kv.get('a')
    expect(asked).toEqual(['a'])
    await two.kv.set('a', 2)
    expect(await one.kv.get('a')).toBe(2)
    await two.kv.delete('a')
    expect(await one.kv.get('a')).toBeUndefined()
    expect(one.layer.stats().bus).toMatchObject({ trusted: true, untold: 0, invalidations: 2 })
  })

  test('carries versions, so that who has that very one keeps it', async () => {
    const { one, two, asked, bus } = await processes(2)
    bus.held = true
    const writing = two.kv.set('a', 1)
    await turn()
    expect(await one.kv.get('a')).toBe(1)
    bus.held = false
    bus.deliver()
    await writing
    await one.kv.get('a')
    expect(asked).toEqual(['a'])
  })

  test('that has not given a ping back within maxStaleMs is not trusted: entries are revalidated', async () => {
    const { one, behind, asked, clock, bus } = await processes(1)
    await behind.set('a', 1)
    await one.kv.get('a')
    bus.held = true
    clock.advance(maxStaleMs + 1)
    expect(one.layer.stats().bus?.trusted).toBe(false)
    expect(await one.kv.get('a')).toBe(1)
    expect(await one.kv.get('a')).toBe(1)
    expect(asked).toEqual(['a', 'a?', 'a?'])
    await behind.set('a', 2)
    expect(await one.kv.get('a')).toBe(2)
    bus.held = false
    await pinged()
    await one.kv.get('a')
    await one.kv.get('a')
    expect(asked.at(-1)).toBe('a?')
    expect(asked).toHaveLength(4)
  })

  test('that lost a message is found out by the next one, and all is revalidated', async () => {
    const { one, two, asked, bus } = await processes(2)
    await one.kv.set('a', 1)
    await one.kv.get('a')
    bus.lossy = true
    await two.kv.set('a', 2)
    bus.lossy = false
    await two.kv.set('b', 1)
    asked.length = 0
    expect(await one.kv.get('a')).toBe(2)
    expect(asked).toEqual(['a?'])
  })

  test('whose connection is lost is not trusted, and tells afterwards what it could not', async () => {
    const { one, two, bus, asked } = await processes(2)
    await one.kv.set('a', 1)
    await one.kv.get('a')
    bus.cut()
    await two.kv.set('a', 2)
    expect(two.layer.stats().bus).toMatchObject({ trusted: false, untold: 1 })
    expect(await one.kv.get('a')).toBe(2)
    asked.length = 0
    bus.mend()
    await pinged()
    await pinged()
    expect(one.layer.stats().bus?.trusted).toBe(true)
    expect(await one.kv.get('a')).toBe(2)
    await one.kv.get('a')
    // It was told of late, so that it was loaded anew, once.
    expect(asked).toEqual(['a'])
  })

  test.each([
    '',
    'null',
    '[1]',
    '[2,"x",1,"all"]',
    '[1,"x",1,[["a"]]]',
    '[1,"x",-1,0]',
    '[1,"x",1,"all"]',
    '[1,"x",7,0]',
  ])('with a message that cannot be read, or is out of order, voids: %s', async (text) => {
    const { one, behind, bus, asked } = await processes(1)
    await behind.set('a', 1)
    await one.kv.get('a')
    asked.length = 0
    bus.say(text)
    await one.kv.get('a')
    expect(asked).toEqual(['a?'])
  })

  test('has a key kept no longer whose load began before a write elsewhere', async () => {
    const clock = testClock(1_000_000)
    const bus = localPubSub()
    const source = gatedStore({ clock })
    const layer = cache({ bus, maxStaleMs, clock, monotonicClock: clock })
    const reader = keyValue(source, [layer], { clock })
    const writer = keyValue(source.inner, [cache({ bus, maxStaleMs, clock, monotonicClock: clock })], {
      clock,
    })
    await pinged()
    await pinged()
    await writer.set('a', bytes('old'))
    const reading = reader.get('a')
    await turn()
    source.look()
    await writer.set('a', bytes('new'))
    const late = reader.get('a')
    await turn()
    await source.open()
    expect(textOf(await reading)).toBe('old')
    expect(textOf(await late)).toBe('new')
    expect(textOf(await reader.get('a'))).toBe('new')
  })

  test('that is gone leaves stale answers where the store fails too, for as long as they are wanted', async () => {
    const { one, state, bus, clock } = await processes(1, { staleIfErrorMs: 60_000 })
    await one.kv.set('a', 1)
    await one.kv.get('a')
    bus.cut()
    state.isDown = true
    clock.advance(59_000)
    expect(await one.kv.getEntry('a')).toMatchObject({ value: 1, meta: { stale: true } })
    expect(one.layer.stats().staleAnswers).toBe(1)
    clock.advance(2_000)
    await expect(one.kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    state.isDown = false
    expect(await one.kv.get('a')).toBe(1)
  })

  test('tells once more of a write of unknown outcome, when it can no longer take effect', async () => {
    const { one, two, state } = await processes(2)
    await one.kv.set('a', 1)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(replaceTimers({ setTimeout, clearTimeout }))
    onTestFinished(() => void vi.useRealTimers())
    state.isLate = true
    await expect(two.kv.set('a', 2)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(await one.kv.get('a')).toBe(1)
    await state.arrive?.()
    expect(await one.kv.get('a')).toBe(1)
    await vi.advanceTimersByTimeAsync(doubtForMs)
    expect(await one.kv.get('a')).toBe(2)
    expect(one.layer.stats().bus).toMatchObject({ trusted: true, untold: 0, invalidations: 2 })
  })

  test('that cannot be joined at first is asked again', async () => {
    const local = localPubSub()
    let tries = 0
    const connect: PubSub['connect'] = async (events) => {
      if (tries++ < 2) throw new Error('not yet')
      return local.connect(events)
    }
    const layer = cache({ bus: { ...local, connect }, maxStaleMs: 20 })
    const kv = keyValue(memory(), [layer])
    await expect
      .poll(() => layer.stats().bus, { timeout: 10_000 })
      .toMatchObject({ trusted: true, joinFailures: 2 })
    await kv.close()
    expect(local.connections).toBe(0)
  })

  test.each([
    ['comes late', 400],
    ['never comes', Number.POSITIVE_INFINITY],
  ])('whose confirmation %s is not told the same again and again', async (_when, confirmMs) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
    onTestFinished(replaceTimers({ setTimeout, clearTimeout }))
    onTestFinished(() => void vi.useRealTimers())
    const local = localPubSub()
    const told: string[] = []
    const confirming = pubSubBus({
      ...local,
      connect: (events) => {
        const connection = local.connect(events)
        const publish = async (message: string): Promise<void> => {
          await connection.publish(message)
          if (!message.includes('key')) return
          told.push(message)
          await (confirmMs === Number.POSITIVE_INFINITY ? new Promise(() => {}) : pause(confirmMs))
        }
        return { ...connection, publish }
      },
    })
    const layer = cache({ bus: confirming, maxStaleMs, monotonicClock: () => performance.now() })
    const kv = keyValue(memory(), [layer])
    await vi.advanceTimersByTimeAsync(maxStaleMs)
    void kv.set('key', bytes('1'))
    await vi.advanceTimersByTimeAsync(600_000)
    expect(told.length).toBeLessThan(10)
    expect(layer.stats().bus).toMatchObject({ trusted: true, untold: 1 })
    void kv.close()
  })

  test('tells of a put while one of this process is under way: that one is not kept', async () => {
    const bus = localPubSub()
    const store = memory()
    const older = String(bytes('older'))
    /** The store says that it has the older value. */
    let confirm: (() => void) | undefined
    const slow: PassThrough = passThrough('slow', {
      wrap: (inner) => ({
        write: async (mutations, call) => {
          const written = await inner.write(mutations, call)
          const isOlder = mutations.some((one) => one.type === 'set' && String(one.value).includes(older))
          if (isOlder) await new Promise<void>((resolve) => (confirm = resolve))
          return written
        },
      }),
    })
    const open = (below: AnyStore) =>
      createCache<string>({ bus, below: { store: below, namespace: 'n', timeoutMs: 60_000 } })
    const [one, two] = [open(compose(store, [slow])), open(store)]
    await turn()
    const putting = one.put('a', 'older')
    await vi.waitUntil(() => confirm)
    await two.put('a', 'newer')
    confirm?.()
    await putting
    expect(await one.get('a')).toBe('newer')
    await Promise.all([one.close(), two.close()])
  })

  test('that takes its time delays a write, and not for long', async () => {
    const local = localPubSub()
    const silent = pubSubBus({
      name: 'silent',
      connect: (events) => {
        const connection = local.connect(events)
        return { ...connection, publish: () => new Promise(() => {}) }
      },
    })
    const layer = cache({ bus: silent })
    const kv = keyValue(memory(), [layer])
    await turn()
    await kv.set('a', bytes('1'))
    expect(layer.stats().bus?.untold).toBe(1)
    await kv.close()
  })

  test('makes writes take time, which the capabilities say', () => {
    const stack = compose(memory(), [cache({ bus: localPubSub() })]) as Store<Uint8Array>
    expect(stack.capabilities.sync).toBe('reads')
    void stack.close()
  })

  test.each<[ObjectCacheOptions, string]>([
    [{ bus: {} as never }, 'bus'],
    [{ maxStaleMs: 9 }, 'maxStaleMs'],
    [{ bus: localPubSub(), localTier: 'validated' }, 'cannot be combined'],
  ])('refuses %j', (options, message) => {
    expect(() => cache(options)).toThrow(message)
  })
})

test('the figures of a layer in several stacks are those of all, and stay when they are closed', async () => {
  const listeners: BusListener[] = []
  const deaf: InvalidationBus = {
    name: 'deaf',
    join: (listener) => {
      listeners.push(listener)
      return {
        tell: () => Promise.reject(new Error('down')),
        ping: async (token) => listener.echo(token),
        leave: async () => {},
      }
    },
  }
  const layer = cache({ bus: deaf })
  const stacks = [0, 1].map(() => keyValue(memory(), [layer, json<number>()]))
  const [one, two] = stacks as [(typeof stacks)[0], (typeof stacks)[0]]
  for (const listener of listeners) listener.up()
  await expect.poll(() => layer.stats().bus?.trusted).toBe(true)
  await one.set('a', 1)
  await two.set('a', 1)
  expect(layer.stats().bus).toMatchObject({ untold: 2 })
  listeners[0]?.down()
  expect(layer.stats().bus?.trusted).toBe(false)
  for (const stack of stacks) await stack.close()
  expect(layer.stats().bus).toMatchObject({ trusted: false, untold: 2 })
})
