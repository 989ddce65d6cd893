import { type Bytes, isConditionFailed, isWritten, keyValue, newVersion, type Store } from '@unikv/core'
import { mutate } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { mysqlBench } from './mysql-bench.ts'

const value = Buffer.from('value')
const farMs = 10_000_000

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)

  describe.each([
    ['counts matched rows (FOUND_ROWS)', ''],
    ['counts changed rows', '-FOUND_ROWS'],
  ])('where the client %s', (_, flags) => {
    const open = async (): Promise<Store<Bytes>> =>
      bench.store({ pool: bench.pool({ flags: [flags] }), table: await bench.table() })

    test('a touch with the expiry that is there already takes effect', async () => {
      const store = await open()
      const expiresAt = Date.now() + farMs
      await mutate(store, { type: 'set', key: 'key', value, expiresAt })
      for (const wanted of [expiresAt, expiresAt, undefined, undefined]) {
        expect(isWritten(await mutate(store, { type: 'touch', key: 'key', expiresAt: wanted }))).toBe(true)
      }
      expect(isConditionFailed(await mutate(store, { type: 'touch', key: 'absent', expiresAt }))).toBe(true)
    })

    test('a set of the same value under a condition takes effect', async () => {
      const store = await open()
      const version = newVersion()
      expect(await mutate(store, { type: 'set', key: 'key', value, version, ifVersion: null })).toEqual({
        version,
      })
      expect(
        isConditionFailed(await mutate(store, { type: 'set', key: 'key', value, ifVersion: null })),
      ).toBe(true)
      const next = newVersion()
      const again = await mutate(store, { type: 'set', key: 'key', value, version: next, ifVersion: version })
      expect(again).toEqual({ version: next })
      expect(isConditionFailed(await mutate(store, { type: 'delete', key: 'key', ifVersion: version }))).toBe(
        true,
      )
      expect(isWritten(await mutate(store, { type: 'delete', key: 'key', ifVersion: next }))).toBe(true)
    })

    test('an increment by nothing tells the number', async () => {
      const store = await open()
      for (const by of [5, 0, 0, -5, 0]) await mutate(store, { type: 'increment', key: 'n', by, initial: 1 })
      expect(await mutate(store, { type: 'increment', key: 'n', by: 0, initial: 9 })).toMatchObject({
        value: 1,
      })
    })
  })

  test("the server's clock decides, whatever the time zone of the session", async () => {
    const table = await bench.table()
    for (const zone of ['+00:00', '+13:00', '-11:30', 'SYSTEM']) {
      const pool = bench.pool()
      pool.pool.on('connection', (connection) => void connection.query(`SET time_zone = '${zone}'`))
      const store = bench.store({ pool, table })
      await mutate(store, { type: 'set', key: 'live', value, expiresAt: Date.now() + 60_000 })
      await mutate(store, { type: 'set', key: 'dead', value, expiresAt: Date.now() - 60_000 })
      expect(await keyValue(store).getMany(['live', 'dead']), zone).toEqual([value, undefined])
    }
  })
})
