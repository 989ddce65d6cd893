import { memcached } from '@unikv/memcached'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { testLeases } from './leases.ts'

// It declares no conditional read: its answers hold a whole record or none of it.
describeWith('memcached', (url) => {
  const setting = {
    ...networkRun(url),
    store: 'memcached',
    open: (to: string) => memcached({ url: to, dataset: 'wire' }),
  }
  testCacheHits(setting)
  testLeases({ ...setting, url })
})
