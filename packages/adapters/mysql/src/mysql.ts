import {
  type Bytes,
  type CallOptions,
  type Json,
  type Mutation,
  type Page,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import type { Backend } from './backend.ts'
import { Connections } from './connections.ts'
import { isMariadbPool, mariadbPool } from './mariadb-client.ts'
import { openMariadbPool } from './mariadb-pool.ts'
import { capabilitiesOf, type MysqlCapabilities } from './mysql-capabilities.ts'
import { callbackPool, type MysqlPool, type OwnPool, openPool } from './mysql-client.ts'
import { endedError } from './mysql-errors.ts'
import { type MysqlClient, type MysqlOptions, type MysqlSettings, settingsOf } from './mysql-options.ts'
import { lazyNative, type MysqlNative } from './native.ts'
import { read } from './read.ts'
import { rowOverheadBytes } from './row.ts'
import { scanPages } from './scan.ts'
import { Statements } from './statements.ts'
import { Sweeper } from './sweep.ts'
import { type MysqlDurability, openTable } from './table.ts'
import { bytesForm, documentForm, type ValueForm } from './values.ts'
import { write } from './write.ts'

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
  readonly capabilities: MysqlCapabilities
  readonly native: unknown
  readonly #settings: MysqlSettings
  readonly #form: ValueForm<V>
  readonly #sweeper = new Sweeper()
  #own: Promise<OwnPool> | undefined
  #opening: Promise<Backend<V>> | undefined
  #backend: Backend<V> | undefined
  #closing: Promise<void> | undefined

  constructor(settings: MysqlSettings, form: ValueForm<V>) {
    const { name, source } = settings
    this.name = name
    this.capabilities = capabilitiesOf(settings)
    this.native = 'pool' in source ? source.pool : lazyNative(async () => (await this.#openOwn()).pool)
    this.#settings = settings
    this.#form = form
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<V>[]> {
    const backend = this.#backend
    return backend === undefined
      ? this.#opened(call).then((opened) => read(opened, reads, call))
      : read(backend, reads, call)
  }

  write(mutations: readonly Mutation<V>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const backend = this.#backend
    if (backend === undefined) return this.#opened(call).then(() => this.write(mutations, call))
    const results = write(backend, mutations, call)
    this.#sweeper.after(mutations, backend)
    return results
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<V>> {
    yield* scanPages(this.#backend ?? (await this.#opened(call)), range, call)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Connect and look at the table, once; after a failure the next call tries again. */
  open(): Promise<Backend<V>> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #open(): Promise<Backend<V>> {
    const { source, table, documents, queueLimit } = this.#settings
    const pool = 'pool' in source ? usedPool(source.pool) : (await this.#openOwn()).pool
    const connections = new Connections(pool, queueLimit)
    const call: CallOptions = { deadlineAt: performance.now() + openTimeoutMs }
    const packetBytes = await openTable(
      (sql, values) => connections.execute(sql, values, call, false),
      this.#settings,
    )
    if (this.#closing !== undefined) throw closed()
    const maxStatementBytes = packetBytes - rowOverheadBytes
    this.#backend = {
      connections,
      statements: new Statements(table, documents),
      form: this.#form,
      maxStatementBytes,
    }
    return this.#backend
  }

  #openOwn(): Promise<OwnPool> {
    const { source, connectionLimit } = this.#settings
    if (this.#closing !== undefined) return Promise.reject(closed())
    if ('pool' in source) return Promise.reject(closed())
    this.#own ??= (source.driver === 'mariadb' ? openMariadbPool : openPool)(source.address, connectionLimit)
    return this.#own
  }

  /** The backend, within the deadline of a call: what is not open by then was certainly not sent. */
  async #opened(call: CallOptions): Promise<Backend<V>> {
    if (this.#closing !== undefined) throw closed()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const leftMs = call.deadlineAt - performance.now()
      if (leftMs < openTimeoutMs) timer = setTimeout(() => reject(endedError(call, 'unsent')), leftMs)
    })
    try {
      return await Promise.race([this.open(), late])
    } finally {
      clearTimeout(timer)
    }
  }

  async #close(): Promise<void> {
    this.#backend = undefined
    const swept = this.#sweeper.stop()
    const own = await this.#own?.catch(() => undefined)
    await (own?.close() ?? swept)
  }
}

/** A pool that was handed in, of whichever driver. */
function usedPool(pool: MysqlClient): MysqlPool {
  return isMariadbPool(pool) ? mariadbPool(pool) : callbackPool(pool)
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'This store is closed. Open a new one.')
}
