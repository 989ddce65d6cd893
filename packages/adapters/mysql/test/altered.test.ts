import { type CallOptions, isStoreError, keyValue } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { drivers, mysqlBench } from './mysql-bench.ts'

const value = Buffer.from('v')

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)
  describe.each(drivers)('a table that was changed by hand, by %s', (driver) => {
    test.each([
      ['a value that is NULL', 'MODIFY value LONGBLOB NULL', 'SET value = NULL'],
      ['an expiry that is no number', 'MODIFY expires_at VARCHAR(20) NULL', "SET expires_at = 'soon'"],
      ['an expiry that is no whole number', 'MODIFY expires_at DOUBLE NULL', 'SET expires_at = 1e300'],
      ['a version of another length', 'MODIFY version VARBINARY(20)', "SET version = 'short'"],
    ])('%s is CORRUPT for every read', async (_, change, update) => {
      const table = await bench.table()
      const kv = keyValue(bench.store({ url, table, driver }))
      await kv.setMany([
        ['a', value],
        ['b', value],
      ])
      await bench.sql.query(`ALTER TABLE ${table} ${change}`)
      await bench.sql.query(`UPDATE ${table} ${update} WHERE k = 'a'`)
      await expectCorrupt(kv)
      expect(await kv.get('b')).toEqual(value)
    })

    test('two rows of one key are CORRUPT for every read', async () => {
      const table = await bench.table()
      const kv = keyValue(bench.store({ url, table, driver }))
      await kv.setMany([
        ['a', value],
        ['b', value],
      ])
      await bench.sql.query(`ALTER TABLE ${table} DROP PRIMARY KEY`)
      await bench.sql.query(`INSERT INTO ${table} SELECT * FROM ${table} WHERE k = 'a'`)
      await expectCorrupt(kv)
    })
  })
})

interface Reads {
  get(key: string, options?: Partial<CallOptions>): Promise<unknown>
  has(key: string): Promise<unknown>
  revalidate(key: string, version: string): Promise<unknown>
  getMany(keys: readonly string[]): Promise<unknown>
}

/** Every way to read `a` says so, and `b` is not concerned. */
async function expectCorrupt(kv: Reads): Promise<void> {
  await expect(kv.get('a'), 'get').rejects.toMatchObject({ code: 'CORRUPT' })
  await expect(kv.has('a'), 'has').rejects.toMatchObject({ code: 'CORRUPT' })
  await expect(kv.revalidate('a', '0'.repeat(24)), 'revalidate').rejects.toMatchObject({ code: 'CORRUPT' })
  const error: unknown = await kv.getMany(['a', 'b']).catch((reason: unknown) => reason)
  expect(isStoreError(error) && error.results?.[0], 'getMany').toMatchObject({ code: 'CORRUPT' })
}
