import { conformance, topicsOfServers, topicsOfValues } from '@unikv/conformance'
import type { Json } from '@unikv/core'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import pg from 'pg'
import { afterAll, describe, test } from 'vitest'
import { type PostgresOptions, postgres } from '../src/index.ts'
import { postgresBench } from './postgres-bench.ts'

/** The statements and answers of a pool that was handed in are those of our own. */
const topicsOfPools = /^(declared|read and write|cancellation|errors|lifecycle)/

describeWith('postgres', async (url) => {
  const bench = postgresBench(url)

  /** Opens stores over tables of their own, and the table of a store once more. */
  function datasets<const O extends PostgresOptions>(base: O) {
    const tables = new WeakMap<object, string>()
    const open = (table: string) => {
      const store = postgres('pool' in base ? { ...base, table } : { ...base, url, table })
      tables.set(store, table)
      return store
    }
    return {
      open: async () => open(await bench.table('pool' in base ? {} : base)),
      reopen: (store: object) => open(tables.get(store) as string),
    }
  }

  describe('values: bytes', async () => {
    await conformance({
      test,
      describe,
      keyStep: isWhole ? 1 : 5,
      ...datasets({ values: 'bytes' }),
      topics: topicsOfServers,
    })
  })

  describe('values: bytes, by a pool that was handed in', async () => {
    const pool = new pg.Pool({ connectionString: url })
    afterAll(() => pool.end())
    await conformance({ test, describe, ...datasets({ pool }), topics: topicsOfPools })
  })

  describe('values: document', async () => {
    const value = (n: number): Json => ({ n, text: `value ${n}`, list: [n, null, true] })
    await conformance<Json>({
      test,
      describe,
      ...datasets({ values: 'document', indexes: [['v'], ['group', 'v'], ['a\\.b']] }),
      value,
      topics: topicsOfValues,
    })
  })
})
