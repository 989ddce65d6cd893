import { testClock } from '@unikv/conformance'
import {
  type Bytes,
  compose,
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
import { bytes, textOf } from './gated-cache.ts'
import { gatedStore, turn } from './gated-store.ts'
import { unreliable } from './store-cache-setting.ts'

const recordKey = canonicalKey(namespacePrefix(['cache']), 'a')

/** Processes over one source, whose reads wait at a gate, and one cache store. */
function processes(count: number, options: Partial<StoreCacheOptions> = {}) {
  const clock = testClock(1_000_000)
  const source = gatedStore({ clock })
  const remote = memory({ clock, name: 'remote' })
  const all = Array.from({ length: count }, () => {
    const link = unreliable()
    const layer = cache({ clock, store: compose(remote, [link.layer]), namespace: 'cache', ...options })
    const stack = compose(source, [layer]) as Store<Bytes>
    return { link, layer, kv: keyValue(stack, [], { clock }), stack }
  })
  const [one, two] = all as [(typeof all)[0], (typeof all)[0]]
  return { clock, source, remote, all, one, two, behind: keyValue(source.inner, [], { clock }) }
}

/** Open the gate again and again until the work is done. */
async function through<T>(source: { open(): Promise<void> }, work: Promise<T>): Promise<T> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await source.open()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return ended
}

describe('a miss', () => {
  test('in eight processes is one load, whose value all are told', async () => {
    const { all, source, behind } = processes(8)
    await behind.set('a', bytes('1'))
    const waiting = Promise.all(all.flatMap(({ kv }) => Array.from({ length: 100 }, () => kv.get('a'))))
    await turn()
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(source.reads).toHaveLength(1)
    const values = await through(source, waiting)
    expect(new Set(values.map(textOf))).toEqual(new Set(['1']))
    expect(source.reads).toHaveLength(1)
    expect(all.reduce((sum, { layer }) => sum + layer.stats().loads, 0)).toBe(1)
    expect(all.reduce((sum, { layer }) => sum + layer.stats().leaseWaits, 0)).toBe(7)
  })

  test('of 10,000 readers in one process is one load', async () => {
    const { one, source, behind } = processes(1)
    await behind.set('a', bytes('1'))
    const waiting = Array.from({ length: 10_000 }, () => one.kv.get('a', { timeoutMs: 600_000 }))
    const values = await through(source, Promise.all(waiting))
    expect(values.every((value) => textOf(value) === '1')).toBe(true)
    expect(one.layer.stats().loads).toBe(1)
  })

  test('that fails tells every waiter once, and the next reader loads again at once', async () => {
    const { one, two, source, behind } = processes(2)
    await behind.set('a', bytes('1'))
    const waiting = Promise.allSettled(Array.from({ length: 1_000 }, () => one.kv.get('a')))
    await turn()
    await source.open(new StoreError('UNAVAILABLE', 'down'))
    const outcomes = await waiting
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(source.reads).toHaveLength(1)
    expect(textOf(await through(source, two.kv.get('a')))).toBe('1')
    expect(two.layer.stats()).toMatchObject({ leaseWaits: 0, loads: 1 })
  })

  test('whose holder is gone waits leaseWaitMs, loads without filling, and takes over when the lease has run out', async () => {
    const { one, two, source, behind, clock, remote } = processes(2, { leaseWaitMs: 30 })
    await behind.set('a', bytes('1'))
    void one.kv.get('a', { timeoutMs: 5_000 }).catch(() => {})
    await turn()
    one.link.state = 'silent'
    expect(textOf(await through(source, two.kv.get('a')))).toBe('1')
    expect(two.layer.stats()).toMatchObject({ leaseWaits: 1, loads: 1, leases: 0 })
    clock.advance(30_000)
    expect(textOf(await through(source, two.kv.get('a')))).toBe('1')
    expect(two.layer.stats()).toMatchObject({ loads: 2, leases: 1 })
    expect((await two.kv.getEntry('a'))?.meta?.tier).toBe('remote')
    expect(remote.native.size).toBe(1)
  })

  test('costs three calls of the cache store, and a hit one', async () => {
    const calls: string[] = []
    const spy = passThrough('spy', {
      wrap: (inner) => ({
        read: (reads, call) => {
          calls.push('read')
          return inner.read(reads, call)
        },
        write: (mutations, call) => {
          calls.push(`write ${mutations.length}`)
          return inner.write(mutations, call)
        },
      }),
    })
    const kv = keyValue(memory(), [cache({ store: compose(memory(), [spy]) })])
    await kv.set('a', bytes('1'))
    calls.length = 0
    await kv.getMany(['a', 'b', 'c'])
    expect(calls).toEqual(['read', 'write 3', 'write 1', 'write 2'])
    calls.length = 0
    await kv.get('a')
    expect(calls).toEqual(['read'])
  })
})

describe('a write elsewhere', () => {
  test('voids the lease of a load, which then keeps nothing', async () => {
    const { one, two, source, behind, remote } = processes(2)
    await behind.set('a', bytes('old'))
    const reading = one.kv.get('a')
    await turn()
    source.look()
    await two.kv.set('a', bytes('new'))
    expect(textOf(await through(source, reading))).toBe('old')
    expect(one.layer.stats().voids).toBe(1)
    expect(remote.native.size).toBe(0)
    expect(textOf(await through(source, one.kv.get('a')))).toBe('new')
  })

  test('is seen by readers who came after it and joined a load from before it', async () => {
    const { one, two, source, behind } = processes(2)
    await behind.set('a', bytes('old'))
    const early = one.kv.get('a')
    await turn()
    source.look()
    await two.kv.set('a', bytes('new'))
    const late = one.kv.get('a')
    expect(textOf(await through(source, early))).toBe('old')
    expect(textOf(await through(source, late))).toBe('new')
  })

  test('of which the cache store was not told in the end is not hidden by its former value', async () => {
    const { one, two, source, behind, clock } = processes(2)
    await behind.set('a', bytes('old'))
    await through(source, one.kv.get('a'))
    const cut = passThrough('cut after the mark', {
      wrap: (inner) => ({
        write: async (mutations, call) => {
          const results = await inner.write(mutations, call)
          two.link.state = 'down'
          return results
        },
      }),
    })
    const writer = keyValue(compose(source.inner, [two.layer, cut]) as Store<Bytes>, [], { clock })
    await writer.set('a', bytes('new'))
    expect(textOf(await through(source, one.kv.get('a')))).toBe('new')
    expect((await through(source, one.kv.getEntry('a')))?.meta?.tier).toBeUndefined()
    clock.advance(40_000)
    await through(source, one.kv.get('a'))
    expect((await one.kv.getEntry('a'))?.meta?.tier).toBe('remote')
  })

  test('of unknown outcome keeps the key out of the cache until it cannot take effect any more', async () => {
    const { one, source, behind, remote, clock } = processes(1)
    await behind.set('a', bytes('old'))
    const lost = passThrough('lost', {
      wrap: () => ({ write: () => Promise.reject(new StoreError('OUTCOME_UNKNOWN', 'lost')) }),
    })
    const writer = keyValue(
      compose(source.inner, [cache({ clock, store: remote, namespace: 'cache' }), lost]) as Store<Bytes>,
      [],
      { clock },
    )
    await expect(writer.set('a', bytes('new'))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await through(source, one.kv.get('a'))
    expect(one.layer.stats().leases).toBe(0)
    clock.advance(15_001)
    await through(source, one.kv.get('a'))
    expect(one.layer.stats().leases).toBe(1)
  })
})

describe('where the cache store cannot be told of a write', () => {
  test("the write goes on with writes: 'available', and is counted", async () => {
    const { one, behind } = processes(1)
    one.link.state = 'down'
    await one.kv.set('a', bytes('1'))
    expect(textOf(await behind.get('a'))).toBe('1')
    expect(one.layer.stats().unmarkedWrites).toBe(1)
  })

  test("it is refused before it is sent with writes: 'consistent'", async () => {
    const { one, source, behind } = processes(1, { writes: 'consistent' })
    one.link.state = 'down'
    await expect(one.kv.set('a', bytes('1'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('was not sent'),
    })
    expect(source.writes).toEqual([])
    one.link.state = 'up'
    await one.kv.set('a', bytes('1'))
    expect(textOf(await behind.get('a'))).toBe('1')
  })

  test("it is not acknowledged with writes: 'consistent' unless the cache store confirmed the end, too", async () => {
    const { one, two, source, behind, clock } = processes(2, { writes: 'consistent' })
    await behind.set('a', bytes('old'))
    const lost = passThrough('the cache store is lost after the write', {
      wrap: (inner) => ({
        write: async (mutations, call) => {
          const results = await inner.write(mutations, call)
          // Another writer's mark took the place of this one's, and his end left a record of what was before.
          await through(source, two.kv.set('b', bytes('other')))
          one.link.state = 'down'
          return results
        },
      }),
    })
    const writer = keyValue(compose(source.inner, [one.layer, lost]) as Store<Bytes>, [], { clock })
    const refusal = await writer.set('a', bytes('new')).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'OUTCOME_UNKNOWN', version: expect.any(String) })
    expect(await behind.getEntry('a')).toMatchObject({ version: (refusal as StoreError).version })
    expect(one.layer.stats().unmarkedWrites).toBe(1)
  })

  test("only those keys are refused that it was not told of, with writes: 'consistent'", async () => {
    const clock = testClock(1_000_000)
    const remote = memory({ clock })
    const half: PassThrough = passThrough('half', {
      wrap: (inner) => ({
        write: async (mutations, call) => {
          const results = await inner.write(mutations, call)
          return results.map((result, i) => (i === 1 ? new StoreError('UNAVAILABLE', 'down') : result))
        },
      }),
    })
    const written = async (atomicity: 'none' | 'all') => {
      const inner = memory({ clock })
      const batch = { ...inner.capabilities.batch, atomicity }
      const stack = compose({ ...inner, capabilities: { ...inner.capabilities, batch } }, [
        cache({ clock, store: compose(remote, [half]), writes: 'consistent' }),
      ]) as Store<Bytes>
      const mutations = ['a', 'b', 'c'].map((key) => {
        return { type: 'set', key, version: '0', value: bytes('1') } as const
      })
      return { results: await stack.write(mutations, callOptions()), size: inner.native.size }
    }
    expect(await written('none')).toMatchObject({
      results: [{ version: '0' }, { code: 'UNAVAILABLE' }, { version: '0' }],
      size: 2,
    })
    // What takes effect as a whole is refused as a whole, and its marks hold up nobody.
    const refused = { code: 'UNAVAILABLE' }
    expect(await written('all')).toMatchObject({ results: [refused, refused, refused], size: 0 })
  })
})

test('a strong read voids the lease of another load and renews the record', async () => {
  const { one, two, source, behind } = processes(2)
  await behind.set('a', bytes('old'))
  const reading = one.kv.get('a')
  await turn()
  source.look()
  await behind.set('a', bytes('new'))
  const strong = two.kv.get('a', { consistency: 'strong' })
  await turn()
  expect(textOf(await through(source, strong))).toBe('new')
  await reading
  expect(one.layer.stats().voids).toBe(1)
  expect(textOf(await one.kv.get('a'))).toBe('new')
})

test('a clock that is an hour wrong neither keeps a lease for ever nor shows an old value', async () => {
  const { one, two, source, behind, clock } = processes(2, { leaseWaitMs: 0 })
  await behind.set('a', bytes('1'))
  clock.advance(3_600_000)
  const abandoned = one.kv.get('a')
  await turn()
  one.link.state = 'silent'
  clock.advance(-3_600_000)
  expect(textOf(await through(source, two.kv.get('a')))).toBe('1')
  expect(two.layer.stats().leases).toBe(1)
  expect((await two.kv.getEntry('a'))?.meta?.tier).toBe('remote')
  await two.kv.set('a', bytes('2'))
  clock.advance(3_600_000)
  expect(textOf(await through(source, two.kv.get('a')))).toBe('2')
  await through(source, abandoned)
})

test('two processes that miss the same keys in other order wait for each other without end of neither', async () => {
  const { one, two, source, behind } = processes(2)
  await behind.setMany([
    ['a', bytes('a')],
    ['b', bytes('b')],
  ])
  const both = Promise.all([one.kv.getMany(['a', 'b']), two.kv.getMany(['b', 'a'])])
  const [forth, back] = await through(source, both)
  expect(forth.map(textOf)).toEqual(['a', 'b'])
  expect(back.map(textOf)).toEqual(['b', 'a'])
})

test('leases are refused over a cache store without conditional writes', () => {
  const plain = compose(memory(), [
    passThrough('plain', { capabilities: { conditionalWrite: false }, wrap: () => ({}) }),
  ])
  expect(() => cache({ store: plain, leases: true })).toThrow('has no conditional writes')
  expect(() => cache({ store: plain, writes: 'consistent' })).toThrow('needs leases')
  expect(() => cache({ store: plain })).not.toThrow()
  const evicting = compose(memory(), [
    passThrough('evicting', { capabilities: { evicts: true }, wrap: () => ({}) }),
  ])
  expect(() => cache({ store: evicting, writes: 'consistent' })).toThrow('may drop live records')
  expect(() => cache({ store: memory(), leaseWaitMs: -1 })).toThrow('leaseWaitMs')
})

test('a lease of its own format is left in the cache store, and nothing of the value', async () => {
  const { one, source, remote } = processes(1)
  void one.kv.get('a').catch(() => {})
  await turn()
  expect([...remote.native.keys()]).toEqual([recordKey])
  await source.open()
})
