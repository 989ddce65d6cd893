import { StoreError } from '@unikv/core'
import { invalidConfig } from '@unikv/core/adapter'
import { pause, performance } from '@unikv/core/platform'
import { noTable } from './errors.ts'
import type { CassandraSettings } from './options.ts'
import { recordFields } from './record-bytes.ts'

/** Executes one statement and resolves to its rows. */
export type Run = (cql: string, params?: readonly unknown[]) => Promise<readonly object[]>

/** Nodes of the cluster, by the name of their data centre. */
export type Nodes = ReadonlyMap<string, number>

/**
 * Look at the keyspace and the table, and make what is missing if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED` if something is missing, `INVALID_CONFIG` if the table is not ours, has the other
 *   mode, or the keyspace keeps fewer copies than `durability` needs
 */
export async function openTable(
  run: Run,
  settings: CassandraSettings,
  nodes: () => Promise<Nodes>,
): Promise<void> {
  let comment = await commentOf(run, settings)
  if (comment === undefined && settings.prepare) {
    await prepareTable(run, settings, nodes)
    comment = await madeComment(run, settings)
  }
  checkComment(comment, settings)
  if (!settings.conditions) await checkFields(run, settings)
  if (settings.durability === 'replicated') await checkCopies(run, settings)
}

/** The comment by which a table is known as ours: with its mode, as plain writes and transactions must not meet. */
function markerOf({ conditions, consistency }: CassandraSettings): string {
  return conditions ? `unikv 1 bytes conditions ${consistency}` : 'unikv 1 bytes plain'
}

async function commentOf(run: Run, { keyspace, table }: CassandraSettings): Promise<string | undefined> {
  const cql = 'SELECT comment FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?'
  const [row] = (await run(cql, [keyspace, table])) as readonly { readonly comment: string | null }[]
  return row === undefined ? undefined : (row.comment ?? '')
}

/**
 * The comment of a table that was just made. The node that is asked next may not know of the table yet: nodes tell each
 * other of it, which takes seconds in a cluster under load, and the driver waits no more than ten.
 */
async function madeComment(run: Run, settings: CassandraSettings): Promise<string | undefined> {
  const last = performance.now() + agreementMs
  let comment = await commentOf(run, settings)
  while (comment === undefined && performance.now() < last) {
    await pause(lookMs)
    comment = await commentOf(run, settings)
  }
  return comment
}

/** Longest time that the nodes of a cluster may take to tell each other of a table, and the time between two looks. */
const agreementMs = 60_000
const lookMs = 200

async function replicationOf(
  run: Run,
  keyspace: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const cql = 'SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?'
  const [row] = (await run(cql, [keyspace])) as readonly { readonly replication: Record<string, string> }[]
  return row?.replication
}

/** Names come from an allow-list, see `settingsOf`. */
async function prepareTable(
  run: Run,
  settings: CassandraSettings,
  nodes: () => Promise<Nodes>,
): Promise<void> {
  const { keyspace, table, conditions } = settings
  // A user who may not make keyspaces may still make tables in one that is there.
  if ((await replicationOf(run, keyspace)) === undefined) {
    const copies = copiesByCenter(settings, await nodes())
    await run(`CREATE KEYSPACE IF NOT EXISTS ${keyspace} WITH replication = ${copies}`)
  }
  const columns = 'version blob, expires_at timestamp, value blob'
  if (!conditions) await run(`CREATE TYPE IF NOT EXISTS ${keyspace}.unikv_record (${columns})`)
  const body = conditions ? columns : 'record frozen<unikv_record>'
  await run(
    `CREATE TABLE IF NOT EXISTS ${keyspace}.${table} (k blob PRIMARY KEY, ${body}) WITH comment = '${markerOf(settings)}'`,
  )
}

function copiesByCenter({ source, replication }: CassandraSettings, nodes: Nodes): string {
  const [first = ''] = nodes.keys()
  const local = ('address' in source && source.address.localDataCenter) || first
  const copies =
    typeof replication === 'object'
      ? replication
      : { [local]: replication ?? Math.min(defaultCopies, nodes.get(local) ?? 1) }
  const centers = Object.entries(copies).map(([center, count]) => `'${center}': ${count}`)
  return `{'class': 'NetworkTopologyStrategy', ${centers.join(', ')}}`
}

/** A quorum of three lives on while one is away. */
const defaultCopies = 3

function checkComment(comment: string | undefined, settings: CassandraSettings): void {
  const { keyspace, table } = settings
  if (comment === markerOf(settings)) return
  if (comment === undefined) throw noTable(`${keyspace}.${table}`)
  throw invalidConfig(`The table ${keyspace}.${table} ${whyNot(comment)}. Name another table.`)
}

function whyNot(comment: string): string {
  if (comment === 'unikv 1 bytes plain')
    return 'was created without conditions: open it with conditions: false'
  const [, level] = /^unikv 1 bytes conditions (serial|local_serial)$/.exec(comment) ?? []
  if (level === undefined) return 'was not created by unikv'
  return `was created with conditions: open it with conditions: true and consistency: '${level}'`
}

/** Records travel as bytes, field after field: those of a type in another order would be taken for each other. */
async function checkFields(run: Run, { keyspace, table }: CassandraSettings): Promise<void> {
  const cql = 'SELECT field_names FROM system_schema.types WHERE keyspace_name = ? AND type_name = ?'
  const [row] = (await run(cql, [keyspace, 'unikv_record'])) as readonly { readonly field_names: string[] }[]
  if (row?.field_names.join() === recordFields.join()) return
  const fields = recordFields.join(', ')
  throw invalidConfig(
    `The type ${keyspace}.unikv_record of the table ${table} does not have the fields ${fields}, in this order. Use another keyspace.`,
  )
}

async function checkCopies(run: Run, { keyspace, consistency }: CassandraSettings): Promise<void> {
  const { class: _, ...copies } = (await replicationOf(run, keyspace)) ?? {}
  const most = Math.max(0, ...Object.values(copies).map((count) => Number.parseInt(count, 10)))
  if (most >= 2 && !['one', 'local_one'].includes(consistency)) return
  throw new StoreError(
    'INVALID_CONFIG',
    `durability 'replicated' needs two copies of each write: replication of 2 or more in keyspace ${keyspace}, and a consistency above one.`,
  )
}
