import type { Bytes } from '@unikv/core'
import { callOptions, datasetName, MetExpired, type OpenedStore, openedStore } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { makeBucket } from './bucket.ts'
import { capabilitiesOf } from './capabilities.ts'
import { Requests } from './client/requests.ts'
import { lazyNative, type OpenClient, openClient } from './client/s3-client.ts'
import type { S3Settings } from './options.ts'
import { readAll } from './read.ts'
import { scanPages } from './scan.ts'
import { deleteIf, writeAll } from './write.ts'

/** Longest time that looking for the bucket and making it may take. */
const prepareTimeoutMs = 30_000

/** Open between the first call and the end. */
interface Opened extends OpenClient {
  readonly requests: Requests
  readonly expired: MetExpired<string>
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
    read: ({ requests, expired }, reads, call) => readAll(requests, reads, call, expired.met),
    write: ({ requests }, mutations, call) => writeAll(requests, mutations, call),
    scan: ({ requests, expired }, range, call) => scanPages(requests, range, call, expired.met),
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
  return { ...client, requests, expired: metExpired(requests) }
}

async function release({ client, connections, expired }: Opened): Promise<void> {
  await expired.stop()
  if (connections === undefined) return
  client.destroy()
  connections.destroy()
}

/** Removes expired records; each deletion is bound to the ETag that was met. */
function metExpired(requests: Requests): MetExpired<string> {
  return new MetExpired({
    atOnce: 4,
    remove: (met, call) => Promise.allSettled(met.map(([key, etag]) => deleteIf(requests, key, etag, call))),
  })
}
