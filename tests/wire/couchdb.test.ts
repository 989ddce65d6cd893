import { couchdb } from '@unikv/couchdb'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { testLeases } from './leases.ts'
import { someBytes, someDocument, testRevalidation } from './revalidation.ts'

describeWith('couchdb', (url) => {
  const setting = {
    ...networkRun(url),
    store: 'CouchDB',
    open: (to: string) => couchdb({ url: to, database: 'wire', prepare: true }),
  }
  testRevalidation({ ...setting, url, value: someBytes })
  testCacheHits(setting)
  testLeases({ ...setting, url })

  testRevalidation({
    ...networkRun(url),
    store: 'CouchDB, documents',
    url,
    open: (to) => couchdb({ url: to, database: 'wire_documents', prepare: true, values: 'document' }),
    value: someDocument,
  })
})
