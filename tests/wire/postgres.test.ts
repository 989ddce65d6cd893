import { postgres } from '@unikv/postgres'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { testLeases } from './leases.ts'
import { someBytes, someDocument, testRevalidation } from './revalidation.ts'

describeWith('postgres', (url) => {
  const setting = {
    ...networkRun(url),
    store: 'PostgreSQL',
    open: (to: string) => postgres({ url: to, table: 'wire', prepare: true }),
  }
  testRevalidation({ ...setting, url, value: someBytes })
  testCacheHits(setting)
  testLeases({ ...setting, url })

  testRevalidation({
    ...networkRun(url),
    store: 'PostgreSQL, documents',
    url,
    open: (to) => postgres({ url: to, table: 'wire_documents', prepare: true, values: 'document' }),
    value: someDocument,
  })
})
