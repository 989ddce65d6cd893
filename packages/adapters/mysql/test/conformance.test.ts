import { conformance, topicsOfServers, topicsOfValues } from '@unikv/conformance'
import type { Json } from '@unikv/core'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { type MysqlOptions, mysql } from '../src/index.ts'
import { drivers, mysqlBench } from './mysql-bench.ts'

/** What the second driver may do differently: what it sends, what it answers, and its connections. */
const topicsOfDrivers =
  /^(declared|read and write|binary|batches$|conditions|increment|cancellation|errors|lifecycle)/

describeWith('mariadb', async (url) => {
  const bench = mysqlBench(url)

  /** Opens stores over tables of their own, and the table of a store once more. */
  function datasets<const O extends MysqlOptions>(base: O) {
    const tables = new WeakMap<object, string>()
    const open = (table: string) => {
      const store = mysql({ ...base, url, table })
      tables.set(store, table)
      return store
    }
    return {
      open: async () => open(await bench.table(base)),
      reopen: (store: object) => open(tables.get(store) as string),
    }
  }

  for (const driver of drivers) {
    describe(`values: bytes, by ${driver}`, async () => {
      const topics = driver === drivers[0] ? topicsOfServers : topicsOfDrivers
      await conformance({
        test,
        describe,
        topics,
        keyStep: isWhole ? 1 : 5,
        ...datasets({ values: 'bytes', driver }),
      })
    })

    describe(`values: document, by ${driver}`, async () => {
      const value = (n: number): Json => ({ n, text: `value ${n}`, list: [n, null, true] })
      await conformance<Json>({
        test,
        describe,
        ...datasets({ values: 'document', driver, indexes: [['v'], ['group', 'v'], ['a\\.b']] }),
        value,
        topics: driver === drivers[0] ? topicsOfValues : /^(read and write|errors)/,
      })
    })
  }
})
