import { conformance, topicsOfRequests, topicsOfServers, topicsOfValues } from '@unikv/conformance'
import type { Json } from '@unikv/core'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type MongodbOptions, mongodb } from '../src/index.ts'
import { mongodbBench, onceOnly } from './mongodb-bench.ts'

/** All its connections from the start: one that is added later looks like one that a closed store keeps. */
async function connectAll(client: MongoClient, count: number): Promise<void> {
  const all = new Promise<void>((resolve) => {
    let ready = 0
    client.on('connectionReady', () => void (++ready === count && resolve()))
  })
  await client.connect()
  await all
}

describeWith('mongodb', async (url) => {
  const bench = mongodbBench(url)

  // Handed in: to open one takes longer than most cases. In the whole run the stores of bytes open their own.
  const client = new MongoClient(url, { ...onceOnly, minPoolSize: 4, maxPoolSize: 4 })
  beforeAll(() => connectAll(client, 4))
  afterAll(() => client.close())

  /** Opens stores over collections of their own, and the collection of a store once more. */
  function datasets<const O extends MongodbOptions>(base: O) {
    const collections = new WeakMap<object, string>()
    const open = (collection: string) => {
      const store = mongodb({ ...base, collection, prepare: true })
      collections.set(store, collection)
      return store
    }
    return {
      open: () => open(bench.unprepared()),
      reopen: (store: object) => open(collections.get(store) as string),
      corrupt: async (store: object, key: string) => {
        const records = bench.records(collections.get(store) as string)
        await records.updateOne({ _id: key }, { $set: { value: new Date() } })
      },
    }
  }

  describe('values: bytes', async () => {
    await conformance({
      test,
      describe,
      topics: isWhole ? topicsOfServers : topicsOfRequests,
      keyStep: isWhole ? 1 : 10,
      ...datasets({ ...(isWhole ? { url } : { client, database: 'unikv' }), values: 'bytes' }),
    })
  })

  describe('values: document', async () => {
    const value = (n: number): Json => ({ n, text: `value ${n}`, list: [n, null, true] })
    await conformance<Json>({
      test,
      describe,
      ...datasets({ client, database: 'unikv', values: 'document', indexes: [['v'], ['group', 'v']] }),
      value,
      topics: topicsOfValues,
    })
  })
})
