import { StoreError } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import { type Indexer, type IndexFacts, type IndexPlan, partsOf, type TableFacts } from '../indexer.ts'

/** The members of a client of cassandra-driver that are used here. */
interface Native {
  execute(
    cql: string,
    values?: readonly unknown[],
    options?: object,
  ): Promise<{ readonly rows?: readonly object[] }>
  /** A client that was handed in has it. */
  readonly keyspace?: string | undefined
}

type Row = Readonly<Record<string, unknown>>

/** How often a build is looked at. */
const everyMs = 200

const tableCql = 'SELECT comment FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?'
const columnsCql =
  'SELECT column_name, kind, type FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?'
const indexesCql =
  'SELECT index_name, kind, options FROM system_schema.indexes WHERE keyspace_name = ? AND table_name = ?'
/** The node that answers tells its own share, which it counts every few minutes. */
const sizesCql =
  'SELECT partitions_count, mean_partition_size FROM system.size_estimates WHERE keyspace_name = ? AND table_name = ?'
const builtCql = 'SELECT index_name FROM system."IndexInfo" WHERE table_name = ?'

/**
 * Indexes of Cassandra, each on one column of your own table; they serve the query `ip = ?`. Values of unikv are bytes, into which
 * no index looks. From 5.0 on it is one that is kept with the data (SAI), before that a secondary index, which asks every
 * node. Each node builds it beside writes, and only the node that answers tells whether it has finished. The server does
 * not tell in advance whether this user may make one (`ALTER` on the table); it would refuse, and nothing would change.
 */
export const cassandraIndexer: Indexer = {
  how: 'CREATE INDEX, which each node builds while reads and writes go on',
  writeFactor: 1.05,
  look: async (native, table) => look(askerOf(native as Native, table), table),
  create: async (native, plan, signal) => create(askerOf(native as Native, plan.table), plan, signal),
  drop: async (native, { name, table }, _signal) => {
    const { keyspace, run } = askerOf(native as Native, table)
    await run(`DROP INDEX IF EXISTS ${keyspace === undefined ? '' : `${quoted(keyspace)}.`}${quoted(name)}`)
  },
}

/** Runs statements about a table. */
interface Asker {
  readonly keyspace: string | undefined
  readonly run: (cql: string, values?: readonly unknown[]) => Promise<readonly Row[]>
  readonly ask: (cql: string) => Promise<readonly Row[]>
}

function askerOf(native: Native, table: string): Asker {
  const [place, name] = partsOf(table)
  const keyspace = place ?? native.keyspace
  const run: Asker['run'] = async (cql, values) =>
    ((await native.execute(cql, values, { prepare: values !== undefined })).rows ?? []) as readonly Row[]
  return { keyspace, run, ask: (cql) => run(cql, [keyspace, name]) }
}

async function look({ keyspace, run, ask }: Asker, table: string): Promise<TableFacts> {
  const [found] = await ask(tableCql)
  if (found === undefined) throw new StoreError('NOT_PREPARED', `Cassandra has no table ${table}.`)
  const sizes = await ask(sizesCql)
  const records = sizes.reduce((sum, row) => sum + Number(row['partitions_count']), 0)
  const built = (await run(builtCql, [keyspace])).map((row) => row['index_name'])
  const columns = await ask(columnsCql)
  const isOurs = String(found['comment']).startsWith('unikv ')
  return {
    records,
    denied: isOurs
      ? `Cassandra keeps the values of ${table} as bytes, into which no index looks. Use a table of your own, with a column for what you select by.`
      : undefined,
    only: {
      attributes: columns.filter(isIndexable).map((row) => String(row['column_name'])),
      most: 1,
      why: `An index of Cassandra is on one column of ${table}, and not on its partition key.`,
    },
    indexes: (await ask(indexesCql)).map((row) => factsOf(row, built)),
  }
}

function isIndexable({ kind }: Row): boolean {
  return kind === 'regular' || kind === 'clustering' || kind === 'static'
}

function factsOf({ index_name: name, options }: Row, built: readonly unknown[]): IndexFacts {
  const { target = '' } = options as { readonly target?: string }
  const column = target.replaceAll('"', '')
  return {
    name: String(name),
    by: [/^\w+$/.test(column) ? column : '?'],
    isValid: built.includes(name),
    isOfKey: false,
  }
}

async function create({ run, ask, keyspace }: Asker, plan: IndexPlan, signal: AbortSignal): Promise<void> {
  const [column = '', ...more] = plan.by
  if (more.length > 0) throw new StoreError('INVALID_ARGUMENT', 'An index of Cassandra is on one column.')
  signal.throwIfAborted()
  const on = `${quoted(plan.name)} ON ${plan.table.split('.').map(quoted).join('.')} (${quoted(column)})`
  const [version] = await run('SELECT release_version FROM system.local')
  const isKeptWithData = Number.parseInt(String(version?.['release_version']), 10) >= 5
  await run(
    isKeptWithData
      ? `CREATE CUSTOM INDEX IF NOT EXISTS ${on} USING 'StorageAttachedIndex'`
      : `CREATE INDEX IF NOT EXISTS ${on}`,
  )
  const isThere = async (): Promise<boolean> =>
    (await ask(indexesCql)).some((row) => row['index_name'] === plan.name)
  const isBuilt = async (): Promise<boolean> =>
    (await run(builtCql, [keyspace])).some((row) => row['index_name'] === plan.name)
  while (!(await isBuilt())) {
    if (!(await isThere()))
      throw new StoreError('ABORTED', `Somebody dropped the index ${plan.name} while it was built.`)
    await pause(everyMs, { signal })
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
