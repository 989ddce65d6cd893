import { keyValue } from '@unikv/core'
import { describeHistories } from '@unikv/test-kit/vitest'
import { cassandra, prepareCassandra } from '../src/index.ts'
import { freshName, withKeyspace } from './cassandra-bench.ts'

describeHistories('cassandra', async (url) => {
  const [keyspace, table] = [freshName(), freshName()]
  const options = { table, conditions: true } as const
  await prepareCassandra({ ...options, url: withKeyspace(url, keyspace), replication: 1 })
  return {
    open: (through) => keyValue(cassandra({ ...options, url: withKeyspace(through, keyspace) })),
    // The driver tries a node that it takes for dead every half second.
    everyMs: 300,
  }
})
