import { type CallOptions, isStoreError, keyValue } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { postgresBench } from './postgres-bench.ts'

const value = Buffer.from('v')

describeWith('postgres', (url) => {
  const bench = postgresBench(url)
  describe.each([true, false])('a table that was changed by hand, rows as bytes: %s', (own) => {
    test.each([
      ['a value that is NULL', 'ALTER value DROP NOT NULL', 'SET value = NULL'],
      ['an expiry that is no number', 'ALTER expires_at TYPE float8', "SET expires_at = 'NaN'"],
      ['a version of another length', 'ALTER version SET NOT NULL', "SET version = '\\x00'"],
    ])('%s is CORRUPT for every read', async (_, change, update) => {
      const table = await bench.table()
      const kv = keyValue(bench.store(own ? { url, table } : { pool: bench.pool(), table }))
      await kv.setMany([
        ['a', value],
        ['b', value],
      ])
      await bench.sql.query(`ALTER TABLE ${table} ${change}`)
      await bench.sql.query(`UPDATE ${table} ${update} WHERE k = 'a'`)
      await forgotten(kv)
      await expectCorrupt(kv)
    })

    test('two rows of one key are CORRUPT for every read', async () => {
      const table = await bench.table()
      const kv = keyValue(bench.store(own ? { url, table } : { pool: bench.pool(), table }))
      await kv.setMany([
        ['a', value],
        ['b', value],
      ])
      await bench.sql.query(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey`)
      await bench.sql.query(`INSERT INTO ${table} SELECT * FROM ${table} WHERE k = 'a'`)
      await forgotten(kv)
      await expectCorrupt(kv)
    })
  })
})

/** Statements that were prepared for the columns of before are refused once, and their connections dropped. */
async function forgotten(kv: Reads): Promise<void> {
  await kv.get('b').catch(() => {})
}

interface Reads {
  get(key: string, options?: Partial<CallOptions>): Promise<unknown>
  has(key: string): Promise<unknown>
  revalidate(key: string, version: string): Promise<unknown>
  getMany(keys: readonly string[]): Promise<unknown>
}

/** Every way to read `a` says so. */
async function expectCorrupt(kv: Reads): Promise<void> {
  await expect(kv.get('a'), 'get').rejects.toMatchObject({ code: 'CORRUPT' })
  await expect(kv.has('a'), 'has').rejects.toMatchObject({ code: 'CORRUPT' })
  await expect(kv.revalidate('a', '0'.repeat(24)), 'revalidate').rejects.toMatchObject({ code: 'CORRUPT' })
  const error: unknown = await kv.getMany(['a', 'b']).catch((reason: unknown) => reason)
  expect(isStoreError(error) && error.results?.[0], 'getMany').toMatchObject({ code: 'CORRUPT' })
}
