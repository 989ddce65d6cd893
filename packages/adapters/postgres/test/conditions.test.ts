import { type Bytes, isConditionFailed, isWritten, keyValue, newVersion, type Store } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { apart, codeOf, mutate, postgresBench } from './postgres-bench.ts'

const value = Buffer.from('value')
const farMs = 10_000_000

describeWith('postgres', (url) => {
  const bench = postgresBench(url)

  test('a condition that fails tells the version that is there', async () => {
    const store = bench.store({ url, table: await bench.table() })
    const [version, other] = [newVersion(), newVersion()]
    await mutate(store, { type: 'set', key: 'key', value, version })
    const failed = { conditionFailed: true, version }
    const { expiresAt } = { expiresAt: Date.now() + farMs }
    const attempts = [
      { type: 'set', key: 'key', value, ifVersion: other },
      { type: 'set', key: 'key', value, ifVersion: null },
      { type: 'delete', key: 'key', ifVersion: other },
      { type: 'delete', key: 'key', ifVersion: null },
      { type: 'touch', key: 'key', expiresAt, ifVersion: other },
      { type: 'touch', key: 'key', expiresAt, ifVersion: null },
      { type: 'increment', key: 'key', by: 1, initial: 0, ifVersion: other },
      { type: 'increment', key: 'key', by: 1, initial: 0, ifVersion: null },
    ] as const
    for (const attempt of attempts) expect(await mutate(store, attempt)).toEqual(failed)
    for (const attempt of attempts.filter(({ ifVersion }) => ifVersion !== null))
      expect(await mutate(store, { ...attempt, key: 'absent' })).toEqual({ conditionFailed: true })
    expect(await keyValue(store).getEntry('key')).toMatchObject({ value, version, expiresAt: undefined })
  })

  test('of many that know the version exactly one wins, and no loser is told the version that it expected', async () => {
    const table = await bench.table()
    const stores = [bench.store({ url, table }), bench.store({ url, table })]
    const known = newVersion()
    for (let round = 0; round < 20; round++) {
      await mutate(stores[0] as Store<Bytes>, { type: 'set', key: 'key', value, version: known })
      const attempts = Array.from({ length: 16 }, (_, i) =>
        mutate(stores[i % 2] as Store<Bytes>, { type: 'set', key: 'key', value, ifVersion: known }),
      )
      const results = await Promise.all(attempts)
      const winners = results.filter(isWritten)
      expect(winners).toHaveLength(1)
      const told = results.filter(isConditionFailed).map(({ version }) => version)
      expect(new Set([undefined, winners[0]?.version])).toEqual(new Set([undefined, ...told]))
    }
  })

  test('of many inserts over one expired record exactly one wins', async () => {
    const table = await bench.table()
    const stores = [bench.store({ url, table }), bench.store({ url, table })]
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
    const store = bench.store({ url, table: await bench.table() })
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

  test('increments of many clients at once are all counted, each with a number of its own', async () => {
    const table = await bench.table()
    const clients = Array.from({ length: 4 }, () => keyValue(bench.store({ url, table }), [], apart))
    const numbers = await Promise.all(
      Array.from({ length: 400 }, (_, i) => (clients[i % 4] as (typeof clients)[0]).increment('n')),
    )
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1))
  })

  test('increments are exact up to the ends of the safe integers, and refused beyond', async () => {
    const kv = keyValue(bench.store({ url, table: await bench.table() }))
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

  test('a body that is no decimal text of a safe integer is not counted, and not changed', async () => {
    const kv = keyValue(bench.store({ url, table: await bench.table() }))
    const bodies = [
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
    for (const body of bodies) {
      const entry = await kv.set('n', Buffer.from(body, 'latin1'))
      expect(await codeOf(kv.increment('n')), JSON.stringify(body)).toBe('INVALID_VALUE')
      expect(await kv.getEntry('n')).toMatchObject({
        value: Buffer.from(body, 'latin1'),
        version: entry.version,
      })
    }
  })

  test('a counter in documents is a whole JSON number', async () => {
    const kv = keyValue(
      bench.store({ url, table: await bench.table({ values: 'document' }), values: 'document' }),
    )
    expect([await kv.increment('n', 5), await kv.increment('n', -7)]).toEqual([5, -2])
    expect(await kv.get('n')).toBe(-2)
    await kv.set('n', 1e3)
    expect(await kv.increment('n')).toBe(1_001)
    for (const body of ['5', 1.5, 1e21, null, true, [1], { n: 1 }, Number.MAX_SAFE_INTEGER]) {
      const { version } = await kv.set('n', body)
      expect(await codeOf(kv.increment('n')), JSON.stringify(body)).toBe('INVALID_VALUE')
      expect(await kv.getEntry('n')).toMatchObject({ value: body, version })
    }
  })

  test('an increment under a condition tells a record that is no counter from one of another version', async () => {
    const store = bench.store({ url, table: await bench.table() })
    const [version, sum] = [newVersion(), newVersion()]
    await mutate(store, { type: 'set', key: 'n', value: Buffer.from('41'), version })
    const add = { type: 'increment', key: 'n', by: 1, initial: 0 } as const
    expect(await mutate(store, { ...add, ifVersion: version, version: sum })).toEqual({
      version: sum,
      value: 42,
    })
    expect(await mutate(store, { ...add, ifVersion: version })).toEqual({
      conditionFailed: true,
      version: sum,
    })
    await mutate(store, { type: 'set', key: 'n', value, version })
    expect(await mutate(store, { ...add, ifVersion: version })).toMatchObject({ code: 'INVALID_VALUE' })
  })
})
