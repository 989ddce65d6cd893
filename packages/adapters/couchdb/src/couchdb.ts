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
import { HttpClient } from '@unikv/core/http-client'
import { performance } from '@unikv/core/platform'
import type { Backend } from './backend.ts'
import { type CouchdbCapabilities, capabilitiesOf } from './capabilities.ts'
import { CouchDatabase } from './client/couch-database.ts'
import { type CouchdbNative, lazyNative } from './client/native.ts'
import { bytesForm, documentForm, type ValueForm } from './document.ts'
import { Expired } from './expired.ts'
import { openDatabase } from './open.ts'
import { type CouchdbDurability, type CouchdbOptions, type CouchdbSettings, settingsOf } from './options.ts'
import { read } from './read.ts'
import { Revisions } from './revisions.ts'
import { scanPages } from './scan.ts'
import { write } from './write.ts'

/** The CouchDB store: what it holds and declares depends on the options. */
export type CouchdbStore<O extends CouchdbOptions = CouchdbOptions> = Store<
  O extends { readonly values: 'document' } ? Json : Bytes,
  CouchdbCapabilities<
    O extends { readonly values: 'document' } ? true : false,
    Chosen<O, 'durability', CouchdbDurability, 'flushed'>,
    Chosen<O, 'isolation', 'linearizable' | 'eventual', 'eventual'>
  >,
  CouchdbNative
>

/** What options say of a name: one value, any of them if they do not tell, or the default if they have no such name. */
type Chosen<O, Name extends string, Any, Default extends Any> = O extends {
  readonly [N in Name]: infer One extends Any
}
  ? One
  : Name extends keyof O
    ? Any
    : Default

/**
 * A database in CouchDB or Cloudant. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function couchdb<const O extends CouchdbOptions>(options: O): CouchdbStore<O> {
  const settings = settingsOf(options)
  const store = settings.documents
    ? new DatabaseStore(settings, documentForm)
    : new DatabaseStore(settings, bytesForm)
  return store as unknown as CouchdbStore<O> // the options say which of the two it is
}

/**
 * Make the database of these options, if it is missing, and the document by which it is known. What `prepare: true` does
 * on first use, for deployments where the application may not create databases.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a database of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareCouchdb(options: CouchdbOptions): Promise<void> {
  const store = new DatabaseStore({ ...settingsOf(options), prepare: true }, bytesForm)
  try {
    await store.open()
  } finally {
    await store.close()
  }
}

/** Longest time that looking at the database may take. */
const openTimeoutMs = 10_000

class DatabaseStore<V> implements Store<V> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: CouchdbCapabilities
  readonly native: CouchdbNative
  readonly #http: HttpClient
  readonly #opening: Opening<Backend<V>>

  constructor(settings: CouchdbSettings, form: ValueForm<V>) {
    const { name, origin, connectionLimit: maxSockets, queueLimit, tls } = settings
    this.name = name
    this.dataset = datasetName('couchdb', origin.host, settings.path, settings.database)
    this.capabilities = capabilitiesOf(settings)
    this.native = lazyNative(settings)
    this.#http = new HttpClient('CouchDB', origin, { maxSockets, queueLimit, tls })
    this.#opening = new Opening(
      (closing) => openBackend(this.#http, settings, form, closing),
      ({ expired }) => expired.close(),
    )
  }

  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<V>[]> {
    return read(this.#opening.ready ?? (await this.#opening.opened(call)), reads, call)
  }

  async write(mutations: readonly Mutation<V>[], call: CallOptions): Promise<readonly WriteResult[]> {
    return write(this.#opening.ready ?? (await this.#opening.opened(call)), mutations, call)
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<V>> {
    const pages = scanPages(await this.#opening.opened(call), range, call)
    yield* movingPages(this.name, true, range, pages)
  }

  /** Look at the database, once; after a failure the next call tries again. */
  open(): Promise<unknown> {
    return this.#opening.open()
  }

  async close(): Promise<void> {
    await this.#opening.close()
    this.#http.close()
  }
}

async function openBackend<V>(
  http: HttpClient,
  settings: CouchdbSettings,
  form: ValueForm<V>,
  signal: AbortSignal,
): Promise<Backend<V>> {
  const { path, authorization, maxValueBytes, durability } = settings
  const couch = new CouchDatabase(http, path, authorization)
  await openDatabase(couch, settings, callOptions({ deadlineAt: performance.now() + openTimeoutMs, signal }))
  return {
    couch,
    form,
    maxValueBytes,
    isReplicated: durability === 'replicated',
    revisions: new Revisions(),
    expired: new Expired(couch),
  }
}
