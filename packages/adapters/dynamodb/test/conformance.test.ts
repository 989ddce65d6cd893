import { conformance, testClock, topicsOfRequests, topicsOfServers, topicsOfValues } from '@unikv/conformance'
import { type Json, keyValue } from '@unikv/core'
import { within } from '@unikv/core/adapter'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'
import { type DynamodbOptions, dynamodb } from '../src/index.ts'
import { clientFor, dropTable, emptyTable, freshTable, optionsFor, putForeign } from './dynamodb-bench.ts'

describeWith('dynamodb', async (url) => {
  const client = clientFor(url)
  afterAll(() => client.destroy())

  // One for all: to make one takes longer than most cases. In the whole run each store makes its own.
  const opening: DynamodbOptions = isWhole ? optionsFor(url) : { client, prepare: true }

  /** Opens stores over tables that are empty, and the table of a store once more. */
  function datasets<const O extends DynamodbOptions>(base: O) {
    const tables = new WeakMap<object, string>()
    const inUse = new Set<string>()
    const free: string[] = []
    afterAll(() => Promise.all(free.map((table) => dropTable(client, table))))
    const tableOf = (store: object): string => tables.get(store) as string
    const open = (table: string) => {
      const store = dynamodb({ ...opening, ...base, table })
      inUse.add(table)
      tables.set(store, table)
      return store
    }
    return {
      open: () => open(free.pop() ?? freshTable()),
      reopen: (store: object) => open(tableOf(store)),
      corrupt: (store: object, key: string) => putForeign(client, tableOf(store), key),
      discard: async (store: object) => {
        const table = tableOf(store)
        if (!inUse.delete(table)) return // it was opened twice
        await emptyTable(client, table)
        free.push(table)
      },
    }
  }

  test('statistics tell of the table', async () => {
    const table = freshTable()
    const store = dynamodb({ ...optionsFor(url), table })
    await keyValue(store).set('a', new Uint8Array(1))
    const size = { records: expect.any(Number), storedBytes: expect.any(Number), scope: 'dataset' }
    expect(await store.statistics?.(within(20_000))).toEqual(size)
    await store.close()
    await dropTable(client, table)
  })

  describe('values: bytes', async () => {
    const clock = testClock()
    await conformance({
      test,
      describe,
      clock,
      topics: isWhole ? topicsOfServers : topicsOfRequests,
      keyStep: isWhole ? 1 : 10,
      ...datasets({ clock }),
    })
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
