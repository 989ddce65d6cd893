import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type {
  Bytes,
  CallOptions,
  Json,
  Mutation,
  Page,
  Read,
  ReadResult,
  ScanRange,
  Store,
  WriteResult,
} from '@unikv/core'
import { callOptions, datasetName, movingPages, Opening } from '@unikv/core/adapter'
import { sendAnew } from '@unikv/core/http-client'
import { performance } from '@unikv/core/platform'
import { capabilitiesOf, type DynamodbCapabilities } from './capabilities.ts'
import { type OpenClient, openClient } from './client/dynamodb-client.ts'
import { Requests } from './client/requests.ts'
import { type DynamodbOptions, type DynamodbSettings, settingsOf } from './options.ts'
import { readAll } from './read.ts'
import { scanPages } from './scan.ts'
import { openTable } from './table.ts'
import { bytesForm, documentForm, encode, type ValueForm } from './value-form.ts'
import { writeAll } from './write.ts'

/** `native` of a store that opens its client itself, which it does on first use. For all of it, hand in a client. */
export type DynamodbNative = Pick<DynamoDBClient, 'send'>

/** The DynamoDB store: what it holds and its native client depend on the options. */
export type DynamodbStore<O extends DynamodbOptions = DynamodbOptions> = Store<
  O extends { readonly values: 'document' } ? Json : Bytes,
  DynamodbCapabilities<O extends { readonly values: 'document' } ? true : false>,
  O extends { readonly client: infer C extends DynamoDBClient } ? C : DynamodbNative
>

/**
 * A table in Amazon DynamoDB, by @aws-sdk/client-dynamodb. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function dynamodb<const O extends DynamodbOptions>(options: O): DynamodbStore<O> {
  const settings = settingsOf(options)
  const store = settings.documents
    ? new TableStore(settings, documentForm)
    : new TableStore(settings, bytesForm)
  return store as unknown as DynamodbStore<O> // the options say which of the two it is
}

/**
 * Make the table of these options, if it is missing, and have it remove expired items. What `prepare: true` does on
 * first use, for deployments where the application may not create tables.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareDynamodb(options: DynamodbOptions): Promise<void> {
  const store = new TableStore({ ...settingsOf(options), prepare: true }, bytesForm)
  try {
    await store.open()
  } finally {
    await store.close()
  }
}

/** Longest time that looking at the table, and making it, may take. */
const openTimeoutMs = 10_000
const prepareTimeoutMs = 60_000

/** What is open between the first call and the end. */
interface Opened extends OpenClient {
  readonly requests: Requests
}

class TableStore<V> implements Store<V> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: DynamodbCapabilities
  readonly native: unknown
  readonly #form: ValueForm<V>
  readonly #opening: Opening<Opened>

  constructor(settings: DynamodbSettings, form: ValueForm<V>) {
    this.name = settings.name
    this.dataset = datasetName('dynamodb', settings.endpoint, settings.region, settings.table)
    this.capabilities = capabilitiesOf(settings.documents)
    this.#form = form
    this.#opening = new Opening((closing) => open(settings, closing), release)
    this.native = settings.client ?? lazyNative(() => this.open())
  }

  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<V>[]> {
    const { requests } = await this.#opening.opened(call)
    return readAll(requests, this.#form, reads, call)
  }

  async write(mutations: readonly Mutation<V>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const encoded = mutations.map((mutation) => encode(mutation, this.#form))
    const { requests } = await this.#opening.opened(call)
    return writeAll(requests, this.#form.attribute, encoded, call)
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<V>> {
    const { requests } = await this.#opening.opened(call)
    yield* movingPages(this.name, false, range, scanPages(requests, this.#form, range, call))
  }

  close(): Promise<void> {
    return this.#opening.close()
  }

  /** Open now, however long it takes. */
  open(): Promise<Opened> {
    return this.#opening.open()
  }
}

async function open(settings: DynamodbSettings, signal: AbortSignal): Promise<Opened> {
  const client = await openClient(settings)
  const requests = new Requests(client, settings)
  const { prepare } = settings
  const timeoutMs = prepare ? prepareTimeoutMs : openTimeoutMs
  try {
    await openTable(requests, prepare, callOptions({ deadlineAt: performance.now() + timeoutMs, signal }))
  } catch (error) {
    await release(client)
    throw error
  }
  return { ...client, requests }
}

async function release({ client, connections }: OpenClient): Promise<void> {
  if (connections === undefined) return
  client.destroy()
  connections.destroy()
}

function lazyNative(opened: () => Promise<Opened>): DynamodbNative {
  const send = async (...args: unknown[]): Promise<unknown> => sendAnew((await opened()).client, args)
  return Object.freeze({ send })
}
