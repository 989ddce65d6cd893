import { type Bytes, json, keyValue, type Store, text } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, createCache } from '../src/index.ts'
import { faultyStore } from './faulty-store.ts'

/** Caches of all kinds, with what they need below. */
const layers = {
  'in the process': () => [cache(), json()] as const,
  'in a store': () => [json(), cache({ store: memory() })] as const,
  'in a store without leases': () => [json(), cache({ store: memory(), leases: false })] as const,
  'in both': () => [cache(), json(), cache({ store: memory() })] as const,
}

test('a touch that ends a record finds one that is cached as absent', async () => {
  const db = memory()
  const kv = keyValue(db, [cache({ absentForMs: 60_000 }), json()])
  await kv.get('k')
  await keyValue(db, [json()]).set('k', 1)
  expect(await kv.touch('k', { expiresAt: Date.now() - 1_000 })).toBe(true)
  expect(await keyValue(db, [json()]).get('k')).toBeUndefined()
})

describe.each(Object.keys(layers) as (keyof typeof layers)[])('a cache %s', (which) => {
  const open = (db: Store<Bytes, MemoryStore['capabilities']>) =>
    keyValue(db as MemoryStore, layers[which]() as never) as unknown as ReturnType<typeof plain>
  const plain = (db: MemoryStore) => keyValue(db, [json()])

  test('forgets by clear what others have deleted, as far as it is meant', async () => {
    const db = memory()
    const kv = open(db)
    const keys = ['k', 'ka', 'other']
    for (const key of keys) await kv.set(key, 'secret')
    for (const key of keys) await kv.get(key)
    await plain(db).delete('k')
    await kv.clear({ prefix: 'k' })
    expect(await kv.getMany(['k', 'ka', 'other'])).toEqual([undefined, undefined, 'secret'])
    await plain(db).delete('other')
    await kv.clear({ all: true })
    expect(await kv.getMany(keys)).toEqual([undefined, undefined, undefined])
  })

  test.each([
    { gte: 'k1', lt: 'k9' },
    { gt: 'a', lte: 'k5' },
    { gte: 'k5' },
    { gte: 'k5\u{1f600}', lt: 'k5\u{1f601}' },
  ])('forgets by clear of a range what others have deleted in it: %j', async (range) => {
    const db = memory()
    const [kv, others] = [open(db).namespace('n'), plain(db).namespace('n')]
    const key = range.gte?.includes('\u{1f600}') === true ? 'k5\u{1f600}a' : 'k5'
    await kv.set(key, 1)
    await kv.get(key)
    await others.delete(key)
    await kv.clear(range)
    expect(await kv.get(key)).toBeUndefined()
  })

  test('forgets by clear of a namespace what others have deleted in it', async () => {
    const db = memory()
    const kv = open(db)
    const [users, orders] = ['users', 'orders'].map((name) => kv.namespace(name))
    for (const one of [users, orders]) await one?.set('k', 1)
    for (const one of [users, orders]) await one?.get('k')
    for (const name of ['users', 'orders']) await plain(db).namespace(name).delete('k')
    await users?.clear({ all: true })
    expect(await users?.get('k')).toBeUndefined()
  })

  test('decides an update by what the store holds, also if it leaves the record alone', async () => {
    const db = memory()
    const kv = open(db)
    const take = (held: unknown) => (held === undefined ? 'me' : undefined)
    await plain(db).set('lock', 'other')
    expect(await kv.update('lock', take)).toBe('other')
    await plain(db).delete('lock')
    expect(await kv.update('lock', take)).toBe('me')
    const spend = (left: unknown) => {
      if ((left as number) < 1) throw new Error('nothing left')
      return (left as number) - 1
    }
    await kv.set('budget', 0)
    await expect(kv.update('budget', spend)).rejects.toThrow('nothing left')
    await plain(db).set('budget', 1)
    expect(await kv.update('budget', spend)).toBe(0)
  })

  test('keeps nothing that a lagging replica answers after an acknowledged write', async () => {
    const { store, replicate } = lagging()
    const kv = open(store)
    await kv.set('a', 1)
    replicate()
    await kv.set('a', 2)
    expect(await kv.get('a')).toBe(2)
    expect(await kv.get('a')).toBe(2)
  })

  test('leaves a level that a read names to the store', async () => {
    const { store, leader } = lagging()
    const kv = open(store)
    await kv.set('a', 1)
    await kv.get('a')
    await plain(leader).set('a', 2)
    expect(await kv.get('a', { consistency: 'quorum' })).toBe(2)
  })
})

/** A store whose plain reads are those of a replica that lags. */
function lagging() {
  const leader = memory()
  const replica = memory()
  const capabilities = {
    ...leader.capabilities,
    sync: 'none' as never,
    isolation: 'eventual' as never,
    consistency: ['strong', 'quorum'] as never,
  }
  const store: Store<Bytes, MemoryStore['capabilities']> = {
    ...leader,
    capabilities,
    read: async (reads, call) => (call.consistency === undefined ? replica : leader).read(reads, call),
    write: async (mutations, call) => leader.write(mutations, call),
  }
  const replicate = (): void => {
    for (const [key, { value, version = '' }] of leader.native)
      void replica.write([{ type: 'set', key, value, version }], callOptions())
  }
  return { store, leader, replicate }
}

describe('a cache in a store', () => {
  test('gives no stale answer after a clear that it could not list', async () => {
    let now = Date.now()
    const clock = () => now
    const remote = memory({ clock })
    const blind = { ...remote, capabilities: { ...remote.capabilities, scan: false as never } }
    const source = faultyStore()
    const times = { freshForMs: 10, staleIfErrorMs: 60_000, clock, monotonicClock: clock }
    const kv = keyValue(source.store, [text(), cache({ store: blind, ...times })])
    await kv.set('k', 'old')
    await kv.get('k')
    await keyValue(source.inner, [text()]).delete('k')
    await kv.clear({ prefix: 'k' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    now += 20
    source.state = 'down'
    await expect(kv.get('k')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('whose store cannot list trusts nothing after clear that it has not put there since', async () => {
    const remote = memory()
    const blind = { ...remote, capabilities: { ...remote.capabilities, scan: false as never } }
    const db = memory()
    const near = cache({ store: blind })
    const kv = keyValue(db, [json(), near])
    await kv.set('k', 1)
    await kv.get('k')
    await keyValue(db, [json()]).delete('k')
    await kv.clear({ all: true })
    expect(await kv.get('k')).toBeUndefined()
    await kv.set('k', 2)
    await kv.get('k')
    const { hits } = near.stats()
    expect(await kv.get('k')).toBe(2)
    expect(near.stats().hits).toBe(hits + 1)
  })

  test.each([
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [60_000, 600_000],
  ])('hits where entries are fresh for %d ms and absent for %d', async (freshForMs, absentForMs) => {
    const near = cache({ store: memory(), freshForMs, absentForMs })
    const kv = keyValue(memory(), [text(), near])
    await kv.set('a', 'x')
    for (let i = 0; i < 3; i++) await kv.getMany(['a', 'absent'])
    expect(near.stats().hits).toBe(4)
  })

  test('that is fresh for ever hits again after an outage with more writes than it remembers', async () => {
    const tier = faultyStore()
    const near = cache({ store: tier.store, freshForMs: Number.POSITIVE_INFINITY })
    const kv = keyValue(memory(), [text(), near])
    const many = Array.from({ length: 10_001 }, (_, i) => [`k${i}`, 'x'] as const)
    tier.state = 'down'
    await kv.setMany(many)
    tier.state = 'up'
    for (let i = 0; i < 3; i++) expect(await kv.get('k1')).toBe('x')
    expect(near.stats().hits).toBe(2)
  })

  test.each([true, false])(
    'answers with nothing old when the clock is set back, with leases: %s',
    async (leases) => {
      const time = { wall: 1_700_000_000_000, monotonic: 0 }
      const pass = (ms: number): void => {
        time.wall += ms
        time.monotonic += ms
      }
      const clock = () => time.wall
      const db = memory({ clock })
      const near = cache({
        store: memory({ clock }),
        leases,
        freshForMs: 300,
        clock,
        monotonicClock: () => time.monotonic,
      })
      const kv = keyValue(db, [text(), near], { clock })
      await kv.set('a', 'old')
      await kv.get('a')
      await keyValue(db, [text()], { clock }).set('a', 'new')
      time.wall -= 1_000
      pass(1_100)
      expect(await kv.get('a')).toBe('new')
      const { hits } = near.stats()
      // And goes on to hit.
      expect(await kv.get('a')).toBe('new')
      expect(near.stats().hits).toBe(hits + 1)
    },
  )

  test('cuts batches to what its store takes', async () => {
    const remote = memory()
    let largest = 0
    const batch = { ...remote.capabilities.batch, maxItems: 100 }
    const small: Store<Bytes, MemoryStore['capabilities']> = {
      ...remote,
      capabilities: { ...remote.capabilities, batch },
      read: (reads, call) => {
        largest = Math.max(largest, reads.length)
        return remote.read(reads, call)
      },
      write: (mutations, call) => {
        largest = Math.max(largest, mutations.length)
        return remote.write(mutations, call)
      },
    }
    for (const writes of ['available', 'consistent'] as const) {
      const near = cache({ store: small, writes })
      const kv = keyValue(memory(), [text(), near])
      const many = Array.from({ length: 1_001 }, (_, i) => [`k${i}`, 'x'] as const)
      await kv.setMany(many)
      const keys = many.map(([key]) => key)
      await kv.getMany(keys)
      const { hits } = near.stats()
      await kv.getMany(keys)
      expect(near.stats()).toMatchObject({ hits: hits + 1_001, unmarkedWrites: 0, storeErrors: 0 })
      await kv.clear({ all: true })
    }
    expect(largest).toBe(100)
  })
})

describe('a cache in the process', () => {
  test('ends expired records by a clock that nobody sets back', async () => {
    const time = { wall: 1_700_000_000_000, monotonic: 0 }
    const db = memory({ clock: () => 1_700_000_000_000 + time.monotonic })
    const near = cache({ clock: () => time.wall, monotonicClock: () => time.monotonic })
    const kv = keyValue(db, [near, text()], { clock: () => time.wall })
    await kv.set('a', 'x', { ttlMs: 1_000 })
    expect(await kv.get('a')).toBe('x')
    time.wall -= 3_600_000
    time.monotonic += 999
    expect(await kv.get('a')).toBe('x')
    time.monotonic += 2
    expect(await kv.get('a')).toBeUndefined()
  })
})

describe('an explicit cache whose second tier refuses', () => {
  test.each(['consistent', 'available'] as const)(
    'tells so, or reads nothing old: writes: %s',
    async (writes) => {
      const tier = faultyStore()
      const rows = createCache<string>({ below: { store: tier.store, writes } })
      let row = 'old'
      const load = async () => row
      await rows.cached('k', load)
      row = 'new'
      tier.state = 'down'
      const ended = await Promise.allSettled([
        rows.invalidate('k'),
        rows.invalidateMany(['k', 'l']),
        rows.put('p', 'x'),
      ])
      const isRefused = writes === 'consistent'
      for (const one of ended)
        expect(one).toMatchObject(
          isRefused ? { status: 'rejected', reason: { code: 'UNAVAILABLE' } } : { status: 'fulfilled' },
        )
      tier.state = 'up'
      expect(await rows.cached('k', load)).toBe('new')
    },
  )
})
