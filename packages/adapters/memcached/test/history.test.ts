import { keyValue } from '@unikv/core'
import { describeHistories } from '@unikv/test-kit/vitest'
import { memcached } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

describeHistories('memcached', () => {
  const dataset = freshDataset()
  return { open: (through) => keyValue(memcached({ url: through, dataset })) }
})
