import type { S3Client } from '@aws-sdk/client-s3'
import type {
  Bytes,
  CallOptions,
  Mutation,
  Page,
  Read,
  ReadResult,
  ScanRange,
  Store,
  WriteResult,
} from '@unikv/core'
import { callOptions, datasetName, movingPages, Opening, withOwnValue } from '@unikv/core/adapter'
import { sendAnew } from '@unikv/core/http-client'
import { performance } from '@unikv/core/platform'
import { makeBucket } from './bucket.ts'
import { capabilitiesOf, type S3Capabilities, type S3Durability } from './capabilities.ts'
import { Requests } from './client/requests.ts'
import { type OpenClient, openClient } from './client/s3-client.ts'
import { type S3Options, type S3Settings, settingsOf } from './options.ts'
import { readAll } from './read.ts'
import { scanPages } from './scan.ts'
import { Sweeper } from './sweep.ts'
import { writeAll } from './write.ts'

/** `native` of a store that opens its client itself, which it does on first use. For all of it, hand in a client. */
export type S3Native = Pick<S3Client, 'send'>

/** The S3 store: what it promises and its native client depend on the options. */
export type S3Store<O extends S3Options = S3Options> = Store<
  Bytes,
  S3Capabilities<O extends { readonly durability: infer D extends S3Durability } ? D : 'replicated'>,
  O extends { readonly client: infer C extends S3Client } ? C : S3Native
>

/**
 * Objects of a bucket in Amazon S3 and its like, by @aws-sdk/client-s3. Nothing is loaded or connected before the
 * first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function s3<const O extends S3Options>(options: O): S3Store<O> {
  return new ObjectStore(settingsOf(options)) as unknown as S3Store<O>
}

/**
 * Make the bucket of these options, if it is missing. What `prepare: true` does on first use, for deployments where
 * the application may not make buckets.
 *
 * @throws {StoreError} `INVALID_CONFIG`, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareS3(options: S3Options): Promise<void> {
  const store = new ObjectStore({ ...settingsOf(options), prepare: true })
  try {
    await store.open()
  } finally {
    await store.close()
  }
}

/** Longest time that looking for the bucket and making it may take. */
const prepareTimeoutMs = 30_000

/** What is open between the first call and the end. */
interface Opened extends OpenClient {
  readonly requests: Requests
  readonly sweeper: Sweeper
}

class ObjectStore implements Store<Bytes> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: S3Capabilities
  readonly native: unknown
  readonly #opening: Opening<Opened>

  constructor(settings: S3Settings) {
    this.name = settings.name
    this.dataset = datasetName('s3', settings.endpoint, settings.bucket, settings.prefix)
    this.capabilities = capabilitiesOf(settings.durability, settings.maxValueBytes)
    this.#opening = new Opening((closing) => open(settings, closing), release)
    this.native = settings.client ?? lazyNative(() => this.open())
  }

  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const { requests, sweeper } = await this.#opening.opened(call)
    return readAll(requests, reads, call, sweeper.met)
  }

  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const opened = this.#opening.ready
    if (opened !== undefined) return writeAll(opened.requests, mutations, call)
    const own = mutations.map(withOwnValue)
    const { requests } = await this.#opening.opened(call)
    return writeAll(requests, own, call)
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<Bytes>> {
    const { requests, sweeper } = await this.#opening.opened(call)
    yield* movingPages(this.name, true, range, scanPages(requests, range, call, sweeper.met))
  }

  close(): Promise<void> {
    return this.#opening.close()
  }

  /** Open now, however long it takes. */
  open(): Promise<Opened> {
    return this.#opening.open()
  }
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

function lazyNative(opened: () => Promise<Opened>): S3Native {
  const send = async (...args: unknown[]): Promise<unknown> => sendAnew((await opened()).client, args)
  return Object.freeze({ send })
}
