import { cassandra } from '@unikv/cassandra'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { testLeases } from './leases.ts'
import { someBytes, testRevalidation } from './revalidation.ts'

// One node, whose address the proxy takes.
describeWith('cassandra', (url) => {
  for (const [table, conditions] of [
    ['plain', false],
    ['conditions', true],
  ] as const) {
    const setting = {
      ...networkRun(url),
      store: `Cassandra, ${table}`,
      open: (to: string) =>
        cassandra({ url: withKeyspace(to, 'wire'), table, conditions, prepare: true, replication: 1 }),
    }
    testRevalidation({ ...setting, url, value: someBytes })
    testCacheHits(setting)
    if (conditions) testLeases({ ...setting, url })
  }
})

function withKeyspace(url: string, keyspace: string): string {
  const changed = new URL(url)
  changed.pathname = `/${keyspace}`
  return changed.href
}
