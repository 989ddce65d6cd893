import { mysql } from '@unikv/mysql'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { testLeases } from './leases.ts'
import { someBytes, someDocument, testRevalidation } from './revalidation.ts'

describeWith('mariadb', (url) => {
  for (const driver of ['mysql2', 'mariadb'] as const) {
    const setting = {
      ...networkRun(url),
      store: `MariaDB (${driver})`,
      open: (to: string) => mysql({ url: to, driver, table: 'wire', prepare: true }),
    }
    testRevalidation({ ...setting, url, value: someBytes })
    testCacheHits(setting)
    testLeases({ ...setting, url })
  }

  testRevalidation({
    ...networkRun(url),
    store: 'MariaDB, documents',
    url,
    open: (to) => mysql({ url: to, table: 'wire_documents', prepare: true, values: 'document' }),
    value: someDocument,
  })
})
