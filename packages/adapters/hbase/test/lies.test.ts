import { describeLies, describeWith } from '@unikv/test-kit/vitest'
import { hbase } from '../src/index.ts'
import { freshDataset, table } from './fresh.ts'

describeWith('hbase', (url) => {
  const dataset = freshDataset()
  describeLies({
    url,
    open: (through) => hbase({ url: through, table, dataset, prepare: true }),
    isWrite: ({ method }) => method === 'PUT',
    // The gateway itself says nothing at all to a write.
    believes: ['set', 'set for a time', 'setMany', 'delete', 'deleteMany'].map(
      (name) => `nothing at all to ${name}`,
    ),
  })
})
