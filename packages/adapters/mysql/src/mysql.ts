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
import { capabilitiesOf, type MysqlCapabilities } from './capabilities.ts'
import { Connections } from './client/connections.ts'
import { isMariadbPool, mariadbPool } from './client/mariadb-client.ts'
import { openMariadbPool } from './client/mariadb-pool.ts'
import type { MysqlPool } from './client/mysql-client.ts'
import { callbackPool, type OwnPool, openPool } from './client/mysql-pool.ts'
import { lazyNative, type MysqlNative } from './client/native.ts'
import { type MysqlClient, type MysqlOptions, type MysqlSettings, settingsOf } from './options.ts'
import { read } from './read.ts'
import { rowOverheadBytes } from './row.ts'
import { scanPages } from './scan.ts'
import { Statements } from './statements.ts'
import { sweep } from './sweep.ts'
import { type MysqlDurability, openTable } from './table.ts'
import { bytesForm, documentForm, type ValueForm } from './values.ts'
import { detached, write } from './write.ts'

/** The MySQL store: what it holds and its native client depend on the options. */
export type MysqlStore<O extends MysqlOptions = MysqlOptions> = Store<
  O extends { readonly values: 'document' } ? Json : Bytes,
  MysqlCapabilities<
    O extends { readonly values: 'document' } ? true : false,
    O extends { readonly durability: infer D extends MysqlDurability } ? D : 'buffered'
  >,
  O extends { readonly pool: infer P extends MysqlClient } ? P : MysqlNative
>

/**
 * A table in MySQL 8 or MariaDB, by mysql2 or mariadb. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function mysql<const O extends MysqlOptions>(options: O): MysqlStore<O> {
  const settings = settingsOf(options)
  const store = settings.documents
    ? new TableStore(settings, documentForm)
    : new TableStore(settings, bytesForm)
  return store as unknown as MysqlStore<O> // the options say which of the two it is
}

/**
 * Make the table of these options, if it is missing. What `prepare: true` does on first use, for deployments where
 * the application may not create tables.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareMysql(options: MysqlOptions): Promise<void> {
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
  readonly capabilities: MysqlCapabilities
  readonly native: unknown
  readonly #settings: MysqlSettings
  readonly #form: ValueForm<V>
  readonly #sweeper = new Sweeper<Backend<unknown>>(sweep)
  readonly #own: Opening<OwnPool> | undefined
  readonly #opening: Opening<Backend<V>>

  constructor(settings: MysqlSettings, form: ValueForm<V>) {
    const { name, source } = settings
    this.name = name
    this.dataset = datasetName(
      'mysql',
      ...('address' in source ? [source.address.host, source.address.port, source.address.database] : []),
      settings.table,
    )
    this.capabilities = capabilitiesOf(settings)
    this.#settings = settings
    this.#form = form
    this.#own = 'pool' in source ? undefined : ownPool(source, settings.connectionLimit)
    this.native = 'pool' in source ? source.pool : lazyNative(async () => (await this.#openOwn()).pool)
    this.#opening = new Opening(
      () => this.#open(),
      async () => {},
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
    const pages = scanPages(this.#opening.ready ?? (await this.#opening.opened(call)), range, call)
    yield* movingPages(this.name, true, range, pages)
  }

  async close(): Promise<void> {
    await Promise.all([this.#sweeper.stop(), this.#opening.close(), this.#own?.close()])
  }

  /** Connect and look at the table. */
  open(): Promise<Backend<V>> {
    return this.#opening.open()
  }

  async #open(): Promise<Backend<V>> {
    const { source, table, documents, queueLimit } = this.#settings
    const pool = 'pool' in source ? usedPool(source.pool) : (await this.#openOwn()).pool
    const connections = new Connections(pool, queueLimit)
    const call: CallOptions = { deadlineAt: performance.now() + openTimeoutMs }
    const packetBytes = await openTable((sql, values) => connections.look(sql, values, call), this.#settings)
    const maxStatementBytes = packetBytes - rowOverheadBytes
    return { connections, statements: new Statements(table, documents), form: this.#form, maxStatementBytes }
  }

  /** The pool that we open. It ends with the store, before what waits for it. */
  #openOwn(): Promise<OwnPool> {
    return (this.#own as Opening<OwnPool>).open()
  }
}

function ownPool(
  { driver, address }: Exclude<MysqlSettings['source'], { readonly pool: MysqlClient }>,
  connectionLimit: number,
): Opening<OwnPool> {
  return new Opening(
    () => (driver === 'mariadb' ? openMariadbPool : openPool)(address, connectionLimit),
    (own) => own.close(),
  )
}

/** A pool that was handed in, of whichever driver. */
function usedPool(pool: MysqlClient): MysqlPool {
  return isMariadbPool(pool) ? mariadbPool(pool) : callbackPool(pool)
}
