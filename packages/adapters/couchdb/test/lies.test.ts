import { describeLies, describeWith } from '@unikv/test-kit/vitest'
import { couchdb } from '../src/index.ts'
import { couchdbBench } from './couchdb-bench.ts'

describeWith('couchdb', (url) => {
  const bench = couchdbBench(url)
  describeLies({
    url,
    open: async (through) => couchdb({ url: through, database: await bench.database() }),
    isWrite: ({ url: path = '' }) => path.endsWith('/_bulk_docs'),
  })
})
