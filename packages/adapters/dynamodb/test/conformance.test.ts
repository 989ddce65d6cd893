import { conformance, testClock, topicsOfRequests, topicsOfServers, topicsOfValues } from '@unikv/conformance'
import { type Json, keyValue } from '@unikv/core'
import { within } from '@unikv/core/adapter'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'
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
      keyStep: isWhole ? 1 : 5,
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
