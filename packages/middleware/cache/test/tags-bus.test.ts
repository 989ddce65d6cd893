import { testClock } from '@unikv/conformance'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import {
  type BusListener,
  cache,
  createCache,
  type InvalidationBus,
  type ObjectCacheOptions,
} from '../src/index.ts'
import { turn } from './gated-store.ts'
import { localPubSub } from './local-pub-sub.ts'

const maxStaleMs = 100

function pinged(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, maxStaleMs / 2))
}

/** Two processes over one store, whose caches hear of each other. */
async function processes(options: Partial<ObjectCacheOptions> = {}) {
  const clock = testClock(1_000_000)
  const bus = localPubSub()
  const source = memory({ clock })
  const process = () => {
    const layer = cache({
      bus,
      maxStaleMs,
      clock,
      monotonicClock: clock,
      tags: (key) => [key, 'all'],
      ...options,
    })
    return { layer, kv: keyValue(source, [layer, json()], { clock }) }
  }
  const [one, two] = [process(), process()]
  await pinged()
  await pinged()
  return { clock, bus, one, two, behind: keyValue(source, [json()], { clock }) }
}

describe('invalidateTags over a bus', () => {
  test('voids the entries of other processes before it resolves, and no others', async () => {
    const { one, two, behind } = await processes()
    for (const key of ['a', 'b']) await behind.set(key, 1)
    for (const key of ['a', 'b']) await one.kv.get(key)
    for (const key of ['a', 'b']) await behind.set(key, 2)
    await two.layer.invalidateTags('a')
    expect([await one.kv.get('a'), await one.kv.get('b')]).toEqual([2, 1])
    expect(one.layer.stats().bus).toMatchObject({ trusted: true, invalidations: 1, voids: 1 })
    expect(two.layer.stats().bus).toMatchObject({ untold: 0 })
  })

  test('that is lost is found out by the next message, and all is revalidated', async () => {
    const { one, two, behind, bus } = await processes()
    await behind.set('a', 1)
    await one.kv.get('a')
    await behind.set('a', 2)
    bus.lossy = true
    await two.layer.invalidateTags('a')
    bus.lossy = false
    await pinged()
    await pinged()
    expect(await one.kv.get('a')).toBe(2)
  })

  test('that the bus does not take is counted, and told when it can be', async () => {
    const { one, two, behind, bus } = await processes()
    await behind.set('a', 1)
    bus.cut()
    await two.layer.invalidateTags(['a', 'b'])
    expect(two.layer.stats().bus).toMatchObject({ untold: 2 })
    bus.mend()
    await pinged()
    await pinged()
    expect(one.layer.stats().bus).toMatchObject({ trusted: true, invalidations: 2 })
  })

  test('in more tags than a message takes is told in several', async () => {
    const { one, two } = await processes()
    const tags = Array.from({ length: 2_500 }, (_, i) => `${i}`)
    await two.layer.invalidateTags(tags)
    expect(one.layer.stats().bus).toMatchObject({ invalidations: 2_500, voids: 1 })
  })

  test('in so many that they cannot be told later one by one: all is voided', async () => {
    const { one, two, bus } = await processes()
    bus.cut()
    const { voids = 0 } = one.layer.stats().bus ?? {}
    await two.layer.invalidateTags(Array.from({ length: 10_001 }, (_, i) => `${i}`))
    bus.mend()
    await pinged()
    await pinged()
    const stats = one.layer.stats().bus
    expect(stats?.invalidations).toBe(0)
    expect(stats?.voids as number).toBeGreaterThan(voids + 1)
  })

  test.each(['[2,"x",1,["all"]]', '[2,"x",1,[]]'])('is read from %s', async (text) => {
    const { one, behind, bus } = await processes()
    await behind.set('a', 1)
    await one.kv.get('a')
    const { loads } = one.layer.stats()
    bus.say(text)
    await one.kv.get('a')
    expect(one.layer.stats().bus).toMatchObject({ voids: 1 })
    expect(one.layer.stats().loads - loads).toBe(text.includes('all') ? 1 : 0)
  })

  test.each(['[2,"x",1,"all"]', '[2,"x",1,[1]]', '[3,"x",1,["a"]]'])(
    'with a message that cannot be read voids: %s',
    async (text) => {
      const { one, bus } = await processes()
      const { voids = 0 } = one.layer.stats().bus ?? {}
      bus.say(text)
      expect(one.layer.stats().bus).toMatchObject({ voids: voids + 1, invalidations: 0 })
    },
  )

  test('that cannot carry tags tells that anything may have been written', async () => {
    const told: unknown[] = []
    const bus: InvalidationBus = {
      name: 'plain',
      join: (listener: BusListener) => {
        queueMicrotask(() => listener.up())
        return {
          tell: async (writes) => void told.push(writes),
          ping: async (token) => listener.echo(token),
          leave: async () => {},
        }
      },
    }
    const numbers = createCache<number>({ bus })
    await turn()
    await numbers.put('a', 1, { tags: ['x'] })
    await numbers.invalidateTags('x')
    expect(numbers.peek('a')).toBeUndefined()
    expect(told.at(-1)).toBe('all')
    await numbers.close()
  })
})
