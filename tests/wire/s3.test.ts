import { type S3Options, s3 } from '@unikv/s3'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { testLeases } from './leases.ts'
import { someBytes, testRevalidation } from './revalidation.ts'

describeWith('s3', (url) => {
  const setting = { ...networkRun(url), store: 'S3', open: (to: string) => s3(optionsFor(to)) }
  testRevalidation({ ...setting, url, value: someBytes })
  testCacheHits(setting)
  testLeases({ ...setting, url })
})

/** Where the server is, and its access key, which its URL holds. */
function optionsFor(url: string) {
  const { origin, username, password } = new URL(url)
  return {
    bucket: 'unikv-tests',
    prefix: 'wire',
    endpoint: origin,
    credentials: { accessKeyId: username, secretAccessKey: password },
    prepare: true,
  } satisfies S3Options
}
