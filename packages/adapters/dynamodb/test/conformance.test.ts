import { conformance, testClock, topicsOfServers, topicsOfValues } from '@unikv/conformance'
import type { Json } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, describe, test } from 'vitest'
import { type DynamodbOptions, dynamodb } from '../src/index.ts'
import { clientFor, dropTable, freshTable, optionsFor, putForeign } from './dynamodb-bench.ts'

describeWith('dynamodb', async (url) => {
  const client = clientFor(url)
  afterAll(() => client.destroy())

  /** Opens stores over tables of their own, and the table of a store once more. */
  function datasets<const O extends DynamodbOptions>(base: O) {
    const tables = new WeakMap<object, string>()
    const tableOf = (store: object): string => tables.get(store) as string
    const open = (table: string) => {
      const store = dynamodb({ ...optionsFor(url), ...base, table })
      tables.set(store, table)
      return store
    }
    return {
      open: () => open(freshTable()),
      reopen: (store: object) => open(tableOf(store)),
      corrupt: (store: object, key: string) => putForeign(client, tableOf(store), key),
      discard: (store: object) => dropTable(client, tableOf(store)),
    }
  }

  describe('values: bytes', async () => {
    const clock = testClock()
    await conformance({ test, describe, clock, topics: topicsOfServers, ...datasets({ clock }) })
  })

  describe('values: document, by the clock of this machine', async () => {
    const value = (n: number): Json => ({ n, text: `value ${n}`, list: [n, null, true] })
    await conformance<Json>({
      test,
      describe,
      ...datasets({ values: 'document' }),
      value,
      topics: topicsOfValues,
    })
  })
})
