import type { CallOptions } from '@unikv/core'
import {
  datasetName,
  indexedPaths,
  type OpenedStore,
  Opening,
  openedStore,
  Sweeper,
} from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { Backend } from './backend.ts'
import { capabilitiesOf } from './capabilities.ts'
import { Connections } from './client/connections.ts'
import { lazyNative } from './client/native.ts'
import { type OwnPool, openPool, type PostgresPool } from './client/postgres-client.ts'
import { openTableIndexes } from './find/fields.ts'
import { find } from './find/find.ts'
import { openGroups } from './groups/open-groups.ts'
import type { PostgresSettings } from './options.ts'
import { read } from './read.ts'
import { scanPages } from './scan.ts'
import { Statements } from './statements.ts'
import { statistics } from './statistics.ts'
import { openTable, quotedTable, type Run } from './table.ts'
import { together } from './together.ts'
import type { ValueForm } from './values.ts'
import { write } from './write.ts'

/** Longest time that looking at the server and the table may take. */
const openTimeoutMs = 10_000
/** The same for the making of indexes, which takes longer with many records. */
const indexTimeoutMs = 600_000

/** A pool, and whether its connections give rows as bytes. */
interface Pool {
  readonly pool: PostgresPool
  readonly binary: boolean
}

/** The store of these settings, which holds values in this form. */
export function openStore<V>(settings: PostgresSettings, form: ValueForm<V>): OpenedStore<V> {
  const { source } = settings
  const own = 'pool' in source ? undefined : ownPool(source.address, settings.maxConnections)
  const openOwn = (): Promise<OwnPool> => (own as Opening<OwnPool>).open()
  const sweeper = new Sweeper<Backend<unknown>>(({ connections, statements }, mostRecords, call) =>
    connections.execute(statements.sweep(), [mostRecords], call, true),
  )
  return openedStore<V, Backend<V>>({
    name: settings.name,
    dataset: datasetOf(settings),
    capabilities: capabilitiesOf(settings),
    native: 'pool' in source ? source.pool : lazyNative(async () => (await openOwn()).pool),
    open: async () => {
      const pool = 'pool' in source ? { pool: source.pool, binary: false } : await openOwn()
      return openBackend(pool, settings, form)
    },
    release: ({ connections }) => connections.close(),
    read,
    write: (backend, mutations, call) => {
      const results = write(backend, mutations, call)
      sweeper.after(mutations, backend)
      return results
    },
    together,
    scan: scanPages,
    find,
    groups: {
      control: settings.lockReads ? 'locks' : 'optimistic',
      maxGroupBytes: Number.POSITIVE_INFINITY,
      holds: true,
      open: (backend) => openGroups(backend, settings),
    },
    statistics: ({ connections }, call) => statistics(connections, quotedTable(settings), call),
    closing: () => Promise.all([sweeper.stop(), own?.close()]),
  })
}

function ownPool(
  address: Extract<PostgresSettings['source'], { readonly address: unknown }>['address'],
  maxConnections: number,
): Opening<OwnPool> {
  return new Opening(
    () => openPool(address, maxConnections),
    (own) => own.close(),
  )
}

function datasetOf({ source, schema, table }: PostgresSettings): string {
  const place = 'address' in source ? [source.address.host, source.address.port, source.address.database] : []
  return datasetName('postgres', ...place, schema, table)
}

async function openBackend<V>(
  { pool, binary }: Pool,
  settings: PostgresSettings,
  form: ValueForm<V>,
): Promise<Backend<V>> {
  const { documents, indexes, namedStatements, queueLimit } = settings
  const connections = new Connections(pool, queueLimit)
  try {
    const within = (timeoutMs: number): Run => {
      const call: CallOptions = { deadlineAt: performance.now() + timeoutMs }
      return (sql, values) => connections.execute(sql, values, call, false)
    }
    await openTable(within(openTimeoutMs), settings)
    await openTableIndexes(within(indexTimeoutMs), settings)
  } catch (error) {
    connections.close()
    throw error
  }
  const shape = { documents, named: namedStatements, binary }
  const statements = new Statements(quotedTable(settings), shape)
  return { connections, statements, form, indexed: indexedPaths(indexes), binary }
}
