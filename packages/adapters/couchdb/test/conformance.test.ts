import { conformance, topicsOfRequests, topicsOfServers, topicsOfValues } from '@unikv/conformance'
import { type Json, keyValue } from '@unikv/core'
import { within } from '@unikv/core/adapter'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { type CouchdbOptions, couchdb } from '../src/index.ts'
import { couchdbBench } from './couchdb-bench.ts'

describeWith('couchdb', async (url) => {
  const bench = couchdbBench(url)

  /** Opens stores over databases of their own, the database of a store once more, and damages documents. */
  function datasets<const O extends Partial<CouchdbOptions>>(base: O) {
    const databases = new WeakMap<object, string>()
    const open = (database: string) => {
      const store = couchdb({ ...base, url, database })
      databases.set(store, database)
      return store
    }
    return {
      open: async () => open(await bench.database(base)),
      reopen: (store: object) => open(databases.get(store) as string),
      corrupt: async (store: object, key: string) => {
        const path = `${databases.get(store)}/${Buffer.from(key).toString('hex')}`
        const document = await bench.request('GET', path)
        await bench.request('PUT', path, { ...document, value: undefined })
      },
    }
  }

  test('statistics tell of the database: the record, and the mark of unikv', async () => {
    const store = couchdb({ url, database: await bench.database({}) })
    await keyValue(store).set('a', new Uint8Array(1))
    expect(await store.statistics?.(within(20_000))).toMatchObject({ records: 2, scope: 'dataset' })
    await store.close()
  })

  describe('values: bytes', async () => {
    await conformance({
      test,
      describe,
      topics: isWhole ? topicsOfServers : topicsOfRequests,
      keyStep: isWhole ? 1 : 10,
      ...datasets({ isolation: 'linearizable' }),
    })
  })

  describe('values: document', async () => {
    const value = (n: number): Json => ({ n, text: `value ${n}`, list: [n, null, true] })
    await conformance<Json>({
      test,
      describe,
      topics: topicsOfValues,
      ...datasets({ values: 'document', isolation: 'linearizable', indexes: [['v'], ['group', 'v']] }),
      value,
    })
  })
})
