import { keyValue } from '@unikv/core'
import { describeHistories } from '@unikv/test-kit/vitest'
import { hbase } from '../src/index.ts'
import { freshDataset, table } from './fresh.ts'

describeHistories('hbase', () => {
  const dataset = freshDataset()
  return { open: (through) => keyValue(hbase({ url: through, table, dataset, prepare: true })) }
})
