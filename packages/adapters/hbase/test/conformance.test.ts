import { conformance, testClock, topicsOfRequests, topicsOfServers } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { hbase } from '../src/index.ts'
import { freshDataset, table } from './fresh.ts'

describeWith('hbase', async (url) => {
  const clock = testClock()
  const datasets = new WeakMap<Store<Bytes>, string>()
  const open = (dataset = freshDataset()): Store<Bytes> => {
    const store = hbase({ url, table, dataset, prepare: true, clock })
    datasets.set(store, dataset)
    return store
  }
  await conformance({
    topics: isWhole ? topicsOfServers : topicsOfRequests,
    keyStep: isWhole ? 1 : 10,
    test,
    describe,
    clock,
    open: () => open(),
    reopen: (store) => open(datasets.get(store)),
    corrupt: async (store, key) => {
      const native = store.native as ReturnType<typeof hbase>['native']
      const row = Buffer.from(`${datasets.get(store)}:${key}`).toString('base64')
      const Cell = [
        { column: Buffer.from('u:h').toString('base64'), $: Buffer.from('no header').toString('base64') },
      ]
      await native.request('PUT', `/${table}/row`, { body: { Row: [{ key: row, Cell }] } })
    },
  })
})
