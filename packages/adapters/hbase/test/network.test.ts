import { networkFaults } from '@unikv/conformance'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { hbase } from '../src/index.ts'
import { freshDataset, table } from './fresh.ts'

describeWith('hbase', async (url) => {
  const dataset = freshDataset()
  const open = (to: string) => hbase({ url: to, table, dataset, prepare: true })
  await networkFaults({
    ...networkRun(url),
    open: (behind) => open(behind),
    direct: () => open(url),
  })
})
