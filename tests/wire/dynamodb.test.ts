import { type DynamodbOptions, dynamodb } from '@unikv/dynamodb'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { testLeases } from './leases.ts'
import { someBytes, someDocument, testRevalidation } from './revalidation.ts'

/** An item holds less than a million bytes. */
const size = 400_000

describeWith('dynamodb', (url) => {
  const setting = {
    ...networkRun(url),
    store: 'DynamoDB',
    open: (to: string) => dynamodb({ ...optionsFor(to), table: 'wire' }),
  }
  testRevalidation({ ...setting, url, value: someBytes, size })
  testCacheHits(setting)
  testLeases({ ...setting, url })

  testRevalidation({
    ...networkRun(url),
    store: 'DynamoDB, documents',
    url,
    open: (to) => dynamodb({ ...optionsFor(to), table: 'documents', values: 'document' }),
    value: someDocument,
    size,
  })
})

/** Where the server is, and its access key, which its URL holds. */
function optionsFor(url: string) {
  const { origin, username, password } = new URL(url)
  return {
    endpoint: origin,
    credentials: { accessKeyId: username, secretAccessKey: password },
    prepare: true,
  } satisfies DynamodbOptions
}
