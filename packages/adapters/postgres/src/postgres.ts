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
import { datasetName, movingPages, Opening, Sweeper } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { Backend } from './backend.ts'
import { capabilitiesOf, type PostgresCapabilities } from './capabilities.ts'
import { Connections } from './client/connections.ts'
import { lazyNative, type PostgresNative } from './client/native.ts'
import { type OwnPool, openPool, type PostgresPool } from './client/postgres-client.ts'
import { type PostgresOptions, type PostgresSettings, settingsOf } from './options.ts'
import { read } from './read.ts'
import { scanPages } from './scan.ts'
import { Statements } from './statements.ts'
import { openTable, type PostgresDurability, quotedTable } from './table.ts'
import { bytesForm, documentForm, type ValueForm } from './values.ts'
import { detached, write } from './write.ts'

/** The PostgreSQL store: what it holds and its native client depend on the options. */
export type PostgresStore<O extends PostgresOptions = PostgresOptions> = Store<
  O extends { readonly values: 'document' } ? Json : Bytes,
  PostgresCapabilities<
    O extends { readonly values: 'document' } ? true : false,
    O extends { readonly durability: infer D extends PostgresDurability } ? D : 'buffered'
  >,
  O extends { readonly pool: infer P extends PostgresPool } ? P : PostgresNative
>

/**
 * A table in PostgreSQL, by pg. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function postgres<const O extends PostgresOptions>(options: O): PostgresStore<O> {
  const settings = settingsOf(options)
  const store = settings.documents
    ? new TableStore(settings, documentForm)
    : new TableStore(settings, bytesForm)
  return store as unknown as PostgresStore<O> // the options say which of the two it is
}

/**
 * Make the table of these options, if it is missing. What `prepare: true` does on first use, for deployments where
 * the application may not create tables.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function preparePostgres(options: PostgresOptions): Promise<void> {
  const store = new TableStore({ ...settingsOf(options), prepare: true }, bytesForm)
  try {
    await store.open()
  } finally {
    await store.close()
  }
}

/** Longest time that looking at the server and the table may take. */
const openTimeoutMs = 10_000

class TableStore<V> implements Store<V> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: PostgresCapabilities
  readonly native: unknown
  readonly #settings: PostgresSettings
  readonly #form: ValueForm<V>
  readonly #sweeper = new Sweeper<Backend<unknown>>(({ connections, statements }, mostRecords, call) =>
    connections.execute(statements.sweep(), [mostRecords], call, true),
  )
  readonly #own: Opening<OwnPool> | undefined
  readonly #opening: Opening<Backend<V>>

  constructor(settings: PostgresSettings, form: ValueForm<V>) {
    const { name, source, connectionLimit } = settings
    this.name = name
    this.dataset = datasetName(
      'postgres',
      ...('address' in source ? [source.address.host, source.address.port, source.address.database] : []),
      settings.schema,
      settings.table,
    )
    this.capabilities = capabilitiesOf(settings)
    this.#settings = settings
    this.#form = form
    if ('address' in source)
      this.#own = new Opening(
        () => openPool(source.address, connectionLimit),
        (own) => own.close(),
      )
    this.native = 'pool' in source ? source.pool : lazyNative(async () => (await this.#openOwn()).pool)
    this.#opening = new Opening(
      () => this.#open(),
      async ({ connections }) => connections.close(),
    )
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<V>[]> {
    const backend = this.#opening.ready
    return backend === undefined
      ? this.#opening.opened(call).then((opened) => read(opened, reads, call))
      : read(backend, reads, call)
  }

  write(mutations: readonly Mutation<V>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const backend = this.#opening.ready
    if (backend === undefined) {
      const kept = mutations.map((mutation) => detached(mutation, this.#form))
      return this.#opening.opened(call).then(() => this.write(kept, call))
    }
    const results = write(backend, mutations, call)
    this.#sweeper.after(mutations, backend)
    return results
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<V>> {
    yield* movingPages(this.name, true, range, scanPages(await this.#opening.opened(call), range, call))
  }

  async close(): Promise<void> {
    await Promise.all([this.#sweeper.stop(), this.#opening.close(), this.#own?.close()])
  }

  /** Connect and look at the table. */
  open(): Promise<Backend<V>> {
    return this.#opening.open()
  }

  async #open(): Promise<Backend<V>> {
    const { source, documents, namedStatements, queueLimit } = this.#settings
    const { pool, binary } = 'pool' in source ? { pool: source.pool, binary: false } : await this.#openOwn()
    const connections = new Connections(pool, queueLimit)
    try {
      const call: CallOptions = { deadlineAt: performance.now() + openTimeoutMs }
      await openTable((sql, values) => connections.execute(sql, values, call, false), this.#settings)
    } catch (error) {
      connections.close()
      throw error
    }
    const shape = { documents, named: namedStatements, binary }
    const statements = new Statements(quotedTable(this.#settings), shape)
    return { connections, statements, form: this.#form }
  }

  #openOwn(): Promise<OwnPool> {
    return (this.#own as Opening<OwnPool>).open()
  }
}
