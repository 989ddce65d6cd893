import { keyValue } from '@unikv/core'
import { describeHistories } from '@unikv/test-kit/vitest'
import { mongodb, prepareMongodb } from '../src/index.ts'
import { freshName } from './mongodb-bench.ts'

// Reads at the default level are of a majority, which may lag behind: it declares `read-committed`.
describeHistories('mongodb', async (url) => {
  const collection = freshName()
  await prepareMongodb({ url, collection })
  return { open: (through) => keyValue(mongodb({ url: through, collection })), consistency: 'strong' }
})
