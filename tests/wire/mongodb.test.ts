import { mongodb } from '@unikv/mongodb'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { testLeases } from './leases.ts'
import { someBytes, someDocument, testRevalidation } from './revalidation.ts'

describeWith('mongodb', (url) => {
  const setting = {
    ...networkRun(url),
    store: 'MongoDB',
    open: (to: string) => mongodb({ url: to, collection: 'wire', prepare: true }),
  }
  testRevalidation({ ...setting, url, value: someBytes })
  testCacheHits(setting)
  testLeases({ ...setting, url })

  testRevalidation({
    ...networkRun(url),
    store: 'MongoDB, documents',
    url,
    open: (to) => mongodb({ url: to, collection: 'documents', prepare: true, values: 'document' }),
    value: someDocument,
  })
})
