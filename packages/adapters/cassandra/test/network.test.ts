import { networkFaults } from '@unikv/conformance'
import { describeWith, networkRun, someOf } from '@unikv/test-kit/vitest'
import { describe } from 'vitest'
import { cassandra } from '../src/index.ts'
import { cassandraBench, withKeyspace } from './cassandra-bench.ts'

// Each run is one process's share of the whole: one node, whose address the proxy takes.
describeWith('cassandra', (url) => {
  const bench = cassandraBench(() => url)
  const { keyspace } = bench

  const forms = [
    ['conditions', true],
    ['plain writes', false],
  ] as const
  describe.each(someOf(1, forms))('%s', async (_, conditions) => {
    const table = bench.tableOf(await bench.open(conditions)).replace(/.*\./, '')
    await networkFaults({
      ...networkRun(url),
      // The driver uses a connection until a heartbeat fails, 10 s after the last answer.
      asksIdleConnections: false,
      open: (behind) => cassandra({ url: withKeyspace(behind, keyspace), table, conditions }),
      direct: () => cassandra({ client: bench.client, keyspace, table, conditions }),
    })
  })
})
