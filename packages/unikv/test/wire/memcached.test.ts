import { memcached } from '@unikv/memcached'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'

// It declares no conditional read: its answers hold a whole record or none of it.
describeWith('memcached', (url) => {
  testCacheHits({
    ...networkRun(url),
    store: 'memcached',
    open: (to) => memcached({ url: to, dataset: 'wire' }),
  })
})
