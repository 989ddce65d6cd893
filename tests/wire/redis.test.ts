import { redis } from '@unikv/redis'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { testLeases } from './leases.ts'
import { someBytes, testRevalidation } from './revalidation.ts'

describeWith('redis', (url) => {
  for (const driver of ['ioredis', 'node-redis'] as const) {
    const setting = {
      ...networkRun(url),
      store: `Redis (${driver})`,
      open: (to: string) => redis({ url: to, driver, dataset: 'wire' }),
    }
    testRevalidation({ ...setting, url, value: someBytes })
    testCacheHits(setting)
    testLeases({ ...setting, url })
  }
})
