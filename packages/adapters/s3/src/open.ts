import type { Bytes } from '@unikv/core'
import { callOptions, datasetName, type OpenedStore, openedStore } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { makeBucket } from './bucket.ts'
import { capabilitiesOf } from './capabilities.ts'
import { Requests } from './client/requests.ts'
import { lazyNative, type OpenClient, openClient } from './client/s3-client.ts'
import type { S3Settings } from './options.ts'
import { readAll } from './read.ts'
import { scanPages } from './scan.ts'
import { Sweeper } from './sweep.ts'
import { writeAll } from './write.ts'

/** Longest time that looking for the bucket and making it may take. */
const prepareTimeoutMs = 30_000

/** What is open between the first call and the end. */
interface Opened extends OpenClient {
  readonly requests: Requests
  readonly sweeper: Sweeper
}

/** The store of these settings. */
export function openStore(settings: S3Settings): OpenedStore<Bytes> {
  const { name, endpoint, bucket, prefix, durability, maxValueBytes, client } = settings
  const store: OpenedStore<Bytes> = openedStore<Bytes, Opened>({
    name,
    dataset: datasetName('s3', endpoint, bucket, prefix),
    capabilities: capabilitiesOf(durability, maxValueBytes),
    native: client ?? lazyNative(() => store.open() as Promise<Opened>),
    open: (closing) => open(settings, closing),
    release,
    read: ({ requests, sweeper }, reads, call) => readAll(requests, reads, call, sweeper.met),
    write: ({ requests }, mutations, call) => writeAll(requests, mutations, call),
    scan: ({ requests, sweeper }, range, call) => scanPages(requests, range, call, sweeper.met),
  })
  return store
}

async function open(settings: S3Settings, signal: AbortSignal): Promise<Opened> {
  const client = await openClient(settings)
  const requests = new Requests(client, settings)
  if (settings.prepare)
    await makeBucket(
      requests,
      client.client,
      callOptions({ deadlineAt: performance.now() + prepareTimeoutMs, signal }),
    )
  return { ...client, requests, sweeper: new Sweeper(requests) }
}

async function release({ client, connections, sweeper }: Opened): Promise<void> {
  await sweeper.stop()
  if (connections === undefined) return
  client.destroy()
  connections.destroy()
}
