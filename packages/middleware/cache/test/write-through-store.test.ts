import { testClock } from '@unikv/conformance'
import { type Bytes, compose, keyValue, newVersion, passThrough, type Store, StoreError } from '@unikv/core'
import { callOptions, canonicalKey, namespacePrefix } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, type StoreCacheOptions } from '../src/index.ts'
import { decodeCacheRecord, encodeCacheRecord } from '../src/tier/cache-record.ts'
import { bytes, type Stack, textOf } from './gated-cache.ts'
import { turn } from './gated-store.ts'

const recordKey = canonicalKey(namespacePrefix(['cache']), 'a')

/** Processes over one source whose writes of each process wait at a gate: first to take effect, then to be acknowledged. */
function processes(count: number, options: readonly Partial<StoreCacheOptions>[] = []) {
  const clock = testClock(1_000_000)
  const source = memory({ clock })
  const remote = memory({ clock, name: 'remote' })
  const calls: string[] = []
  const spy = passThrough('spy', {
    wrap: (inner) => ({
      read: (reads, call) => {
        calls.push('read')
        return inner.read(reads, call)
      },
      write: (mutations, call) => {
        calls.push(`write ${mutations.map(({ type }) => type).join()}`)
        return inner.write(mutations, call)
      },
    }),
  })
  const all = Array.from({ length: count }, (_, n) => {
    const gates: (() => void)[] = []
    const pass = () => new Promise<void>((resolve) => void gates.push(resolve))
    let isGated = false
    const gate = passThrough('gate', {
      wrap: (inner) => ({
        write: async (mutations, call) => {
          if (isGated) await pass()
          const results = await inner.write(mutations, call)
          if (isGated) await pass()
          return results
        },
      }),
    })
    const layer = cache({
      namespace: 'cache',
      clock,
      monotonicClock: clock,
      store: compose(remote, [spy]),
      onWrite: 'through',
      ...options[n],
    })
    const stack = compose(source, [layer, gate]) as Store<Bytes> as Stack
    const kv = keyValue(stack, [], { clock })
    const step = async () => {
      gates.shift()?.()
      for (let turns = 0; turns < 5; turns++) await turn()
    }
    /** Begins without waiting for the end. */
    const start = async (text: string) => {
      isGated = true
      const done = kv.set('a', bytes(text)).catch((error: unknown) => error)
      for (let turns = 0; turns < 5; turns++) await turn()
      return { done }
    }
    return { layer, kv, stack, step, start }
  })
  const [one, two] = all as [(typeof all)[0], (typeof all)[0]]
  return { clock, source, remote, calls, all, one, two, behind: keyValue(source, [], { clock }) }
}

const recordAt = (remote: ReturnType<typeof memory>) => {
  const [result] = remote.read([{ key: recordKey }], callOptions()) as unknown as [
    { value: Bytes } | undefined,
  ]
  return result === undefined ? undefined : decodeCacheRecord(result.value)
}

describe('a set', () => {
  test('leaves its record in the place of its mark: two writes, as without', async () => {
    const { one, two, calls, remote } = processes(2)
    await one.kv.set('a', bytes('1'), { ttlMs: 5_000 })
    expect(calls).toEqual(['write set', 'write set'])
    expect(recordAt(remote)).toMatchObject({ entry: { expiresAt: 1_005_000 }, freshUntil: 1_060_000 })
    for (const { kv } of [one, two]) expect((await kv.getEntry('a'))?.meta).toEqual({ tier: 'remote' })
    expect(textOf(await two.kv.get('a'))).toBe('1')
    expect([one, two].map(({ layer }) => layer.stats().loads)).toEqual([0, 0])
    expect(one.layer.stats()).toMatchObject({ writeFills: 1 })
  })

  test('has the version of the source, so that it is revalidated by it', async () => {
    const { one, clock, behind } = processes(1)
    await one.kv.set('a', bytes('1'))
    expect((await one.kv.getEntry('a'))?.version).toBe((await behind.getEntry('a'))?.version)
    clock.advance(60_000)
    expect(textOf(await one.kv.get('a'))).toBe('1')
    expect(one.layer.stats()).toMatchObject({ revalidations: 1 })
  })

  test('writes what it was given, although its owner changes the bytes meanwhile', async () => {
    const { one, behind } = processes(1)
    const mine = Buffer.from('1')
    const done = one.stack.write(
      [{ type: 'set', key: 'a', value: mine, version: newVersion() }],
      callOptions(),
    )
    mine[0] = 0
    await done
    expect([await behind.get('a'), await one.kv.get('a')].map(textOf)).toEqual(['1', '1'])
  })

  test.each(['delete', 'touch'] as const)('is forgotten by %s', async (type) => {
    const { one, remote } = processes(1)
    await one.kv.set('a', bytes('1'))
    await (type === 'delete' ? one.kv.delete('a') : one.kv.touch('a', { ttlMs: 50 }))
    expect(recordAt(remote)).toBeUndefined()
  })
})

describe('of two processes that write', () => {
  const modes: Partial<StoreCacheOptions>[] = [
    {},
    { writes: 'consistent' },
    { onWrite: 'around' },
    { onWrite: 'around', writes: 'consistent' },
  ]

  // Each letter lets one process go one step: its write takes effect, and then is acknowledged.
  const orders = ['1122', '1212', '1221', '2112', '2121', '2211']
  test.each(modes.flatMap((other) => orders.map((order) => [order, other] as const)))(
    'in the order %s, the other one by %j, none leaves an older value',
    async (order, other) => {
      for (const first of [0, 1]) {
        const { all, one, two, behind, remote } = processes(2, first === 0 ? [{}, other] : [other, {}])
        const writers = first === 0 ? [one, two] : [two, one]
        const begun = []
        for (const [i, writer] of writers.entries()) begun.push(await writer.start(String(i)))
        for (const who of order) await (all[Number(who) - 1] as typeof one).step()
        for (const { done } of begun) expect(await done).not.toBeInstanceOf(Error)
        const there = textOf(await behind.get('a'))
        for (const { kv } of all) expect(textOf(await kv.get('a'))).toBe(there)
        const hold = recordAt(remote)?.hold
        expect(hold).toBeUndefined()
      }
    },
  )

  test('one after the other, the second leaves its value', async () => {
    const { one, two } = processes(2)
    await one.kv.set('a', bytes('1'))
    await two.kv.set('a', bytes('2'))
    expect((await one.kv.getEntry('a'))?.meta).toEqual({ tier: 'remote' })
    expect(textOf(await one.kv.get('a'))).toBe('2')
  })
})

test('a cache store that cannot be told gets no record, and a write goes on', async () => {
  const clock = testClock(1_000_000)
  const down = passThrough('down', {
    wrap: () => ({ write: () => Promise.reject(new StoreError('UNAVAILABLE', 'down')) }),
  })
  const source = memory({ clock })
  const remote = memory({ clock })
  const layer = cache({ clock, store: compose(remote, [down]), onWrite: 'through' })
  const kv = keyValue(source, [layer], { clock })
  await kv.set('a', bytes('1'))
  expect(textOf(await kv.get('a'))).toBe('1')
  // Nothing lay there when the write ended, so nothing can be read that is older.
  expect(layer.stats()).toMatchObject({ unmarkedWrites: 0, writeFills: 0, loads: 1 })
  expect(remote.native.size).toBe(0)
  await keyValue(source, [cache({ clock, store: remote })], { clock }).get('a')
  await kv.set('a', bytes('2'))
  expect(layer.stats()).toMatchObject({ unmarkedWrites: 1, writeFills: 0 })
  expect(textOf(await kv.get('a'))).toBe('2')
})

test('a mark that may be filled comes back as it was', () => {
  for (const fills of [true, undefined] as const) {
    const hold = {
      by: 'writer',
      until: 1_700_000_000_000,
      ...(fills === undefined ? {} : { fills }),
    } as const
    const record = { entry: undefined, freshUntil: 0, hold }
    expect(decodeCacheRecord(encodeCacheRecord(record) as Buffer)).toEqual(record)
  }
})

test('onWrite through without leases is INVALID_CONFIG', () => {
  expect(() => cache({ store: memory(), leases: false, onWrite: 'through' })).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG' }),
  )
})
