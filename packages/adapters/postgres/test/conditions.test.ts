import { type Bytes, isConditionFailed, isWritten, keyValue, newVersion, type Store } from '@unikv/core'
import { codeOf, mutate } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { postgresBench } from './postgres-bench.ts'

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
      expect(told).toHaveLength(15)
      for (const version of told) expect([undefined, winners[0]?.version]).toContain(version)
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
