import { type Bytes, isStoreError } from '@unikv/core'
import { datasetName, type OpenedStore, Opening, openedStore } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { capabilitiesOf } from './capabilities.ts'
import {
  type CassandraAddress,
  type CassandraClient,
  makeClient,
  type OwnClient,
} from './client/cassandra-client.ts'
import { levels } from './client/consistency.ts'
import { lazyNative } from './client/native.ts'
import { routingOf } from './client/routing.ts'
import { Session } from './client/session.ts'
import { cassandraError, type Failed } from './errors.ts'
import type { CassandraSettings } from './options.ts'
import { read } from './read.ts'
import { scanPages } from './scan.ts'
import { conditionalStatements, plainStatements } from './statements.ts'
import { statistics } from './statistics.ts'
import { type Nodes, openTable, type Run } from './table.ts'
import { write } from './write.ts'

/** Longest time that one look at the schema may take; making a table takes a second or two. */
const openTimeoutMs = 20_000

/** The store of these settings. */
export function openStore(settings: CassandraSettings): OpenedStore<Bytes> {
  const { source } = settings
  const own = clientOf(settings)
  const clientNow = async (): Promise<CassandraClient> => (await own.open()).client
  return openedStore<Bytes, Backend>({
    name: settings.name,
    dataset: datasetOf(settings),
    capabilities: capabilitiesOf(settings),
    native: 'client' in source ? source.client : lazyNative(clientNow),
    open: async () => openBackend(await clientNow(), settings),
    read,
    write,
    scan: scanPages,
    statistics,
    // Calls that wait for the client end with it.
    closing: () => own.close(),
  })
}

function datasetOf({ source, keyspace, table }: CassandraSettings): string {
  const place = 'address' in source ? source.address.contactPoints.toSorted() : []
  return datasetName('cassandra', ...place, keyspace, table)
}

/** The client of a store: the one that was handed in, which stays open, or one of its own. */
function clientOf(settings: CassandraSettings): Opening<OwnClient> {
  const { source } = settings
  return new Opening(
    async (closing) =>
      'client' in source
        ? { client: source.client, close: async () => {} }
        : connected(source.address, settings, closing),
    (opened) => opened.close(),
  )
}

async function connected(
  address: CassandraAddress,
  settings: CassandraSettings,
  closing: AbortSignal,
): Promise<OwnClient> {
  const own = await makeClient(address)
  // A server that does not answer must not keep `close` waiting.
  const giveUp = (): void => void own.close().catch(() => {})
  closing.addEventListener('abort', giveUp)
  try {
    await own.client.connect()
    return own
  } catch (error) {
    await own.close().catch(() => {})
    throw translated(error, settings)
  } finally {
    closing.removeEventListener('abort', giveUp)
  }
}

/**
 * Look at the table by this client.
 *
 * @throws {StoreError} as `openTable`, and what Cassandra says
 */
async function openBackend(client: CassandraClient, settings: CassandraSettings): Promise<Backend> {
  const { keyspace, table, conditions } = settings
  const run: Run = async (cql, params = []) => {
    const options = { prepare: params.length > 0, consistency: levels.local_one, readTimeout: openTimeoutMs }
    try {
      return (await client.execute(cql, params, options)).rows ?? []
    } catch (error) {
      throw translated(error, settings)
    }
  }
  await openTable(run, settings, () => nodesOf(run))
  const name = `${keyspace}.${table}`
  return {
    session: new Session(client, failedOf(settings)),
    routing: routingOf(client),
    statements: conditions ? conditionalStatements(name) : plainStatements(name),
    settings,
  }
}

/** The node that answers knows itself and all others; its own data centre comes first. */
async function nodesOf(run: Run): Promise<Nodes> {
  const rows = await Promise.all([
    run('SELECT data_center FROM system.local'),
    run('SELECT data_center FROM system.peers'),
  ])
  const nodes = new Map<string, number>()
  for (const { data_center: center } of rows.flat() as readonly { readonly data_center: string }[])
    nodes.set(center, (nodes.get(center) ?? 0) + 1)
  return nodes
}

function translated(error: unknown, settings: CassandraSettings): Error {
  return isStoreError(error) ? error : cassandraError(error, { ...failedOf(settings), isWrite: false })
}

function failedOf({ source, keyspace, table }: CassandraSettings): Omit<Failed, 'isWrite'> {
  const address = 'address' in source ? source.address : undefined
  return {
    where: address?.contactPoints.join(', ') ?? 'the nodes of the client',
    place: `${keyspace}.${table}`,
    secrets: address?.password === undefined ? [] : [address.password],
  }
}
