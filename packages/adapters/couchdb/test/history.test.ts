import { keyValue } from '@unikv/core'
import { describeHistories } from '@unikv/test-kit/vitest'
import { couchdb, prepareCouchdb } from '../src/index.ts'
import { freshDatabase } from './couchdb-bench.ts'

// On one node, which is what the option states.
describeHistories('couchdb', async (url) => {
  const database = freshDatabase()
  await prepareCouchdb({ url, database })
  return { open: (through) => keyValue(couchdb({ url: through, database, isolation: 'linearizable' })) }
})
