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
import { datasetName, movingPages, Opening } from '@unikv/core/adapter'
import { AbortController, performance } from '@unikv/core/platform'
import type { Db, MongoClient } from 'mongodb'
import type { Backend } from './backend.ts'
import { capabilitiesOf, type MongodbCapabilities } from './capabilities.ts'
import { Commands } from './client/commands.ts'
import type { MongodbDurability } from './client/consistency.ts'
import { closeClient, type MongodbNative, openClient, secretsOf, whereOf } from './client/mongodb-client.ts'
import { trusting } from './client/trusting.ts'
import { openCollection } from './collection.ts'
import { type MongodbOptions, type MongodbSettings, settingsOf } from './options.ts'
import { read } from './read.ts'
import { scanPages } from './scan.ts'
import { bytesForm, documentForm, type ValueForm } from './values.ts'
import { write } from './write.ts'

/** The MongoDB store: what it holds and its native client depend on the options. */
export type MongodbStore<O extends MongodbOptions = MongodbOptions> = Store<
  O extends { readonly values: 'document' } ? Json : Bytes,
  MongodbCapabilities<
    O extends { readonly values: 'document' } ? true : false,
    O extends { readonly durability: infer D extends MongodbDurability } ? D : 'flushed'
  >,
  O extends { readonly client: infer C extends MongoClient } ? C : MongodbNative
>

/**
 * A collection in MongoDB, by the driver mongodb. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function mongodb<const O extends MongodbOptions>(options: O): MongodbStore<O> {
  const settings = settingsOf(options)
  const store = settings.documents
    ? new CollectionStore(settings, documentForm)
    : new CollectionStore(settings, bytesForm)
  return store as unknown as MongodbStore<O> // the options say which of the two it is
}

/**
 * Make the collection of these options and its index, if they are missing. What `prepare: true` does on first use, for
 * deployments where the application may not create collections.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a collection of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareMongodb(options: MongodbOptions): Promise<void> {
  const store = new CollectionStore({ ...settingsOf(options), prepare: true }, bytesForm)
  try {
    await store.open()
  } finally {
    await store.close()
  }
}

/** Longest time that looking at the servers and the collection may take. */
const openTimeoutMs = 10_000

class CollectionStore<V> implements Store<V> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: MongodbCapabilities
  readonly native: unknown
  readonly #settings: MongodbSettings
  readonly #form: ValueForm<V>
  readonly #client: Opening<MongoClient>
  readonly #backend: Opening<Backend<V>>
  readonly #closing = new AbortController()
  #commands: Commands | undefined
  #wereWaiting = false

  constructor(settings: MongodbSettings, form: ValueForm<V>) {
    const { name, source } = settings
    this.name = name
    this.dataset = datasetName(
      'mongodb',
      ...('address' in source ? [source.address.where, source.address.database] : []),
      settings.database,
      settings.collection,
    )
    this.capabilities = capabilitiesOf(settings)
    this.#settings = settings
    this.#form = form
    this.#client = new Opening(
      async () => ('client' in source ? source.client : openClient(source.address, settings.connectionLimit)),
      async (client) => 'client' in source || closeClient(client, this.#wereWaiting),
    )
    this.#backend = new Opening(
      () => this.#open(),
      async () => undefined,
    )
    this.native = 'client' in source ? source.client : this.#lazyNative()
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<V>[]> {
    const { ready } = this.#backend
    return ready === undefined
      ? this.#backend.opened(call).then((opened) => read(opened, reads, call))
      : read(ready, reads, call)
  }

  write(mutations: readonly Mutation<V>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const { ready } = this.#backend
    return ready === undefined
      ? this.#backend.opened(call).then((opened) => write(opened, mutations, call))
      : write(ready, mutations, call)
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<V>> {
    const pages = scanPages(this.#backend.ready ?? (await this.#backend.opened(call)), range, call)
    yield* movingPages(this.name, true, range, pages)
  }

  /** Connect and look at the collection. */
  async open(): Promise<void> {
    await this.#backend.open()
  }

  async close(): Promise<void> {
    this.#wereWaiting ||= this.#commands?.areWaiting === true
    this.#closing.abort()
    await this.#backend.close()
    await this.#client.close()
  }

  async #open(): Promise<Backend<V>> {
    const { collection, durability, queueLimit, maxValueBytes } = this.#settings
    const client = await this.#client.open()
    this.#commands = new Commands({
      database: this.#database(client),
      collection,
      where: whereOf(client),
      secrets: secretsOf(client),
      durability,
      limit: client.options.maxPoolSize + queueLimit,
    })
    const commands = this.#commands
    const deadlineAt = performance.now() + openTimeoutMs
    await trusting(client, this.#closing.signal, async (signal) => {
      const call = { deadlineAt, signal }
      await commands.connect(client, call)
      await openCollection(commands, this.#settings, call)
    })
    return { commands, form: this.#form, maxValueBytes }
  }

  #database(client: MongoClient): Db {
    return client.db(this.#settings.database)
  }

  #lazyNative(): MongodbNative {
    return Object.freeze<MongodbNative>({
      client: () => this.#client.open(),
      collection: async () => this.#database(await this.#client.open()).collection(this.#settings.collection),
    })
  }
}
