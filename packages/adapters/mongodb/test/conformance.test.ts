import { conformance } from '@unikv/conformance'
import type { Json } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { type MongodbOptions, mongodb } from '../src/index.ts'
import { mongodbBench } from './mongodb-bench.ts'

describeWith('mongodb', async (url) => {
  const bench = mongodbBench(url)

  /** Opens stores over collections of their own, and the collection of a store once more. */
  function datasets<const O extends MongodbOptions>(base: O) {
    const collections = new WeakMap<object, string>()
    const open = (collection: string) => {
      const store = mongodb({ ...base, url, collection })
      collections.set(store, collection)
      return store
    }
    return {
      open: async () => open(await bench.collection(base)),
      reopen: (store: object) => open(collections.get(store) as string),
      corrupt: async (store: object, key: string) => {
        const records = bench.records(collections.get(store) as string)
        await records.updateOne({ _id: key }, { $set: { value: new Date() } })
      },
    }
  }

  describe('values: bytes', async () => {
    await conformance({ test, describe, ...datasets({ values: 'bytes' }) })
  })

  describe('values: document', async () => {
    const value = (n: number): Json => ({ n, text: `value ${n}`, list: [n, null, true] })
    await conformance<Json>({ test, describe, ...datasets({ values: 'document' }), value })
  })
})
