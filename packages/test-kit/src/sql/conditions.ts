import { type Bytes, isConditionFailed, isWritten, keyValue, newVersion, type Store } from '@unikv/core'
import { expect, test } from 'vitest'
import { apart, codeOf, mutate } from '../calls.ts'
import type { SqlBench } from './bench.ts'

const value = Buffer.from('value')
const farMs = 60_000

/** In Latin-1. */
const notSafeIntegers = [
  '',
  ' 5',
  '5 ',
  '5\n',
  '+5',
  '05',
  '-0',
  '1.5',
  '1e3',
  '0x5',
  '9007199254740992',
  '٣',
  'NULL',
  '\xff',
]

/** Declares tests of conditions and counters that meet in one row. */
export function testConditions(bench: SqlBench): void {
  testExpired(bench)
  testCounters(bench)
}

function testExpired(bench: SqlBench): void {
  test('of many inserts over one expired record exactly one wins', async () => {
    const table = await bench.table()
    const stores = [bench.store({ url: bench.url, table }), bench.store({ url: bench.url, table })]
    for (let round = 0; round < 20; round++) {
      const key = `round ${round}`
      await mutate(stores[0] as Store<Bytes>, { type: 'set', key, value, expiresAt: Date.now() - 1_000 })
      const attempts = Array.from({ length: 16 }, async (_, i) => {
        const version = newVersion()
        const body = Buffer.from(String(i))
        const result = await mutate(stores[i % 2] as Store<Bytes>, {
          type: 'set',
          key,
          value: body,
          version,
          ifVersion: null,
        })
        return isWritten(result) ? version : undefined
      })
      const winners = (await Promise.all(attempts)).filter((version) => version !== undefined)
      expect(winners).toHaveLength(1)
      expect((await keyValue(stores[1] as Store<Bytes>).getEntry(key))?.version).toBe(winners[0])
    }
  })

  test('an expired record counts as absent for every condition', async () => {
    const store = bench.store({ url: bench.url, table: await bench.table() })
    const version = newVersion()
    const expire = () =>
      mutate(store, { type: 'set', key: 'key', value, version, expiresAt: Date.now() - 1_000 })
    await expire()
    expect(
      isConditionFailed(await mutate(store, { type: 'set', key: 'key', value, ifVersion: version })),
    ).toBe(true)
    expect(isConditionFailed(await mutate(store, { type: 'delete', key: 'key', ifVersion: version }))).toBe(
      true,
    )
    expect(
      isConditionFailed(await mutate(store, { type: 'touch', key: 'key', expiresAt: Date.now() + farMs })),
    ).toBe(true)
    expect(isWritten(await mutate(store, { type: 'delete', key: 'key', ifVersion: null }))).toBe(true)
    expect(await mutate(store, { type: 'increment', key: 'key', by: 2, initial: 40 })).toMatchObject({
      value: 42,
    })
    await expire()
    await mutate(store, { type: 'set', key: 'key', value, expiresAt: 'keep' })
    expect(await keyValue(store).getEntry('key')).toMatchObject({ expiresAt: undefined })
  })
}

function testCounters(bench: SqlBench): void {
  test('increments of many clients at once are all counted, each with a number of its own', async () => {
    const table = await bench.table()
    const clients = Array.from({ length: 4 }, () =>
      keyValue(bench.store({ url: bench.url, table }), [], apart),
    )
    const numbers = await Promise.all(
      Array.from({ length: 400 }, (_, i) => (clients[i % 4] as (typeof clients)[0]).increment('n')),
    )
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1))
  })

  test('increments are exact up to the ends of the safe integers, and refused beyond', async () => {
    const kv = keyValue(bench.store({ url: bench.url, table: await bench.table() }))
    const max = Number.MAX_SAFE_INTEGER
    for (const [by, sum] of [
      [max, max],
      [-1, max - 1],
      [-max, -1],
      [-1, -2],
      [-(max - 2), -max],
      [max, 0],
    ] as const) {
      expect(await kv.increment('n', by)).toBe(sum)
    }
    await kv.increment('n', max)
    expect(await codeOf(kv.increment('n'))).toBe('INVALID_VALUE')
    expect(await codeOf(kv.increment('new', 1, { initial: max }))).toBe('INVALID_VALUE')
    expect(await kv.get('n')).toEqual(Buffer.from(String(max)))
    expect(await kv.get('new')).toBeUndefined()
    await kv.set('small', Buffer.from('-5'))
    expect(await kv.increment('small', 1, { initial: max })).toBe(-4)
  })

  test('a body that is not the decimal text of a safe integer is not counted, and not changed', async () => {
    const kv = keyValue(bench.store({ url: bench.url, table: await bench.table() }))
    for (const body of notSafeIntegers) {
      const entry = await kv.set('n', Buffer.from(body, 'latin1'))
      expect(await codeOf(kv.increment('n')), JSON.stringify(body)).toBe('INVALID_VALUE')
      expect(await kv.getEntry('n')).toMatchObject({
        value: Buffer.from(body, 'latin1'),
        version: entry.version,
      })
    }
  })
}
