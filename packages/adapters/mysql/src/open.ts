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
import { isMariadbPool, mariadbPool } from './client/mariadb-client.ts'
import { openMariadbPool } from './client/mariadb-pool.ts'
import type { MysqlPool } from './client/mysql-client.ts'
import { callbackPool, type OwnPool, openPool } from './client/mysql-pool.ts'
import { lazyNative } from './client/native.ts'
import { openTableIndexes } from './find/fields.ts'
import { find } from './find/find.ts'
import { openGroups } from './groups/open-groups.ts'
import { together } from './groups/together.ts'
import type { MysqlClient, MysqlSettings } from './options.ts'
import { read } from './read.ts'
import { rowOverheadBytes } from './row.ts'
import { scanPages } from './scan.ts'
import { Statements } from './statements.ts'
import { statistics } from './statistics.ts'
import { sweep } from './sweep.ts'
import { openTable, type Run } from './table.ts'
import type { ValueForm } from './values.ts'
import { write } from './write.ts'

/** Longest time that looking at the server and the table may take. */
const openTimeoutMs = 10_000
/** The same for the making of indexes, which takes longer with many records. */
const indexTimeoutMs = 600_000

/** The store of these settings, which holds values in this form. */
export function openStore<V>(settings: MysqlSettings, form: ValueForm<V>): OpenedStore<V> {
  const { source } = settings
  const own = 'pool' in source ? undefined : ownPool(source, settings.maxConnections)
  const poolOf = async (): Promise<MysqlPool> =>
    'pool' in source ? usedPool(source.pool) : (await (own as Opening<OwnPool>).open()).pool
  const sweeper = new Sweeper<Backend<unknown>>(sweep)
  return openedStore<V, Backend<V>>({
    name: settings.name,
    dataset: datasetOf(settings),
    capabilities: capabilitiesOf(settings),
    native: 'pool' in source ? source.pool : lazyNative(poolOf),
    open: async () => openBackend(await poolOf(), settings, form),
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
      control: 'locks',
      maxGroupBytes: Number.POSITIVE_INFINITY,
      holds: true,
      open: (backend) => openGroups(backend, settings),
    },
    statistics: ({ connections }, call) => statistics(connections, settings.table, call),
    // The pool ends with the store, before what waits for it.
    closing: () => Promise.all([sweeper.stop(), own?.close()]),
  })
}

function datasetOf({ source, table }: MysqlSettings): string {
  const place = 'address' in source ? [source.address.host, source.address.port, source.address.database] : []
  return datasetName('mysql', ...place, table)
}

async function openBackend<V>(
  pool: MysqlPool,
  settings: MysqlSettings,
  form: ValueForm<V>,
): Promise<Backend<V>> {
  const { table, documents, queueLimit, indexes } = settings
  const connections = new Connections(pool, queueLimit)
  const within = (timeoutMs: number): Run => {
    const call: CallOptions = { deadlineAt: performance.now() + timeoutMs }
    return (sql, values) => connections.look(sql, values, call)
  }
  const packetBytes = await openTable(within(openTimeoutMs), settings)
  await openTableIndexes(within(indexTimeoutMs), settings)
  const maxStatementBytes = packetBytes - rowOverheadBytes
  const statements = new Statements(table, documents)
  return { connections, statements, form, indexed: indexedPaths(indexes), maxStatementBytes }
}

function ownPool(
  { driver, address }: Exclude<MysqlSettings['source'], { readonly pool: MysqlClient }>,
  maxConnections: number,
): Opening<OwnPool> {
  return new Opening(
    () => (driver === 'mariadb' ? openMariadbPool : openPool)(address, maxConnections),
    (own) => own.close(),
  )
}

/** A pool that was handed in, of whichever driver. */
function usedPool(pool: MysqlClient): MysqlPool {
  return isMariadbPool(pool) ? mariadbPool(pool) : callbackPool(pool)
}
