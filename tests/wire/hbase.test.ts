import { hbase } from '@unikv/hbase'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { testLeases } from './leases.ts'
import { someBytes, testRevalidation } from './revalidation.ts'

describeWith('hbase', (url) => {
  const setting = {
    ...networkRun(url),
    store: 'HBase',
    open: (to: string) => hbase({ url: to, table: 'unikv_test', dataset: 'wire', prepare: true }),
  }
  testRevalidation({ ...setting, url, value: someBytes })
  testCacheHits(setting)
  testLeases({ ...setting, url })
})
