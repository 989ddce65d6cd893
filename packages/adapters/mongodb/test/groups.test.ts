import { groupTransactions, type OpenedGroupStore } from '@unikv/conformance'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { type MongodbOptions, mongodb } from '../src/index.ts'
import { mongodbBench } from './mongodb-bench.ts'

describeWith('mongodb', (url) => {
  const bench = mongodbBench(url)

  interface Opened extends OpenedGroupStore {
    readonly options: MongodbOptions
  }

  function over(options: MongodbOptions): Opened {
    const store = mongodb({ ...options, transactions: true, prepare: true })
    if (store.groups === undefined) throw new Error('The store has no groups.')
    return { groups: store.groups, close: () => store.close(), options }
  }

  const fresh = (options: MongodbOptions = { url }): Opened => {
    const collection = bench.unprepared()
    bench.collected(`${collection}_groups`)
    return over({ ...options, collection })
  }
  const reopen = (opened: OpenedGroupStore): Opened => over((opened as Opened).options)

  groupTransactions({ test, describe, rounds: isWhole ? 12 : 6, open: () => fresh(), reopen })
})
