import { PutObjectCommand } from '@aws-sdk/client-s3'
import { conformance, topicsOfRequests, topicsOfServers } from '@unikv/conformance'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { afterAll, describe, test } from 'vitest'
import { s3 } from '../src/index.ts'
import { bucket, clientFor, freshPrefix, objectName, optionsFor } from './s3-bench.ts'

describeWith('s3', async (url) => {
  const client = clientFor(url)
  afterAll(() => client.destroy())
  const prefixes = new WeakMap<object, string>()
  const prefixOf = (store: object): string => prefixes.get(store) as string

  const open = (prefix: string) => {
    // One client for all: to make one takes longer than most cases. In the whole run each store makes its own.
    const { endpoint: _, credentials: _own, ...given } = optionsFor(url)
    const store = isWhole ? s3({ ...optionsFor(url), prefix }) : s3({ ...given, client, prefix })
    prefixes.set(store, prefix)
    return store
  }
  const corrupt = (store: object, key: string) =>
    client.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: objectName(prefixOf(store), key),
        Body: 'no record at all',
      }),
    )

  await conformance({
    topics: isWhole ? topicsOfServers : topicsOfRequests,
    keyStep: isWhole ? 1 : 10,
    test,
    describe,
    schedules: 20,
    open: () => open(freshPrefix()),
    reopen: (store) => open(prefixOf(store)),
    corrupt,
  })
})
