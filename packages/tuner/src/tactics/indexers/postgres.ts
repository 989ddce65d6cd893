import { StoreError } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import type { Indexer, IndexFacts, IndexPlan, TableFacts } from '../indexer.ts'
import { toldByPostgres } from './told-queries.ts'

/** The members of pg that are used here. */
interface Native {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>
}

type Row = Readonly<Record<string, unknown>>

const lookSql = `SELECT c.oid::int8 AS oid, c.reltuples, pg_table_size(c.oid) AS bytes, pg_stat_get_live_tuples(c.oid) AS live,
    pg_has_role(c.relowner, 'USAGE') AS owns, has_schema_privilege(c.relnamespace, 'CREATE') AS creates
  FROM pg_class c WHERE c.oid = to_regclass($1)`

// The adapter's own index is left alone, as are those of keys, and those that `create` would make otherwise.
const indexesSql = `SELECT i.relname AS name, x.indisvalid AS valid, x.indisunique OR x.indisprimary OR (x.indkey::text = e.attnum::text) AS key,
    m.amname <> 'btree' OR x.indnatts > x.indnkeyatts OR i.reloptions IS NOT NULL OR '0' <> ANY (string_to_array(x.indoption::text, ' '))
      OR EXISTS (SELECT FROM pg_opclass o WHERE o.oid = ANY (x.indclass) AND NOT o.opcdefault) AS special,
    x.indpred IS NULL AND m.amname IN ('btree', 'hash') AS serves,
    s.idx_scan AS uses, pg_relation_size(x.indexrelid) AS bytes,
    ARRAY(SELECT pg_get_indexdef(x.indexrelid, n, true) FROM generate_series(1, x.indnkeyatts) n) AS parts
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
  LEFT JOIN pg_stat_user_indexes s ON s.indexrelid = x.indexrelid
  LEFT JOIN pg_attribute e ON e.attrelid = x.indrelid AND e.attname = 'expires_at'
    AND obj_description(x.indrelid, 'pg_class') LIKE 'unikv %'
  WHERE x.indrelid = to_regclass($1)`

const columnsSql = `SELECT a.attname AS name, t.typname AS type FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
  WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped`

/** How often a build by another connection is looked at. */
const everyMs = 200
/** How often a build is told to stop. */
const cancelEveryMs = 20
const deadlock = '40P01'

/** Indexes of PostgreSQL: on columns, and on attributes of the JSON documents of a store. */
export const postgresIndexer: Indexer = {
  how: 'CREATE INDEX CONCURRENTLY; reads and writes go on meanwhile',
  writeFactor: 1.05,
  look: async (native, table) => look(native as Native, table),
  told: toldByPostgres,
  create: async (native, plan, signal) => create(native as Native, plan, signal),
  drop: async (native, plan, signal) => drop(native as Native, plan, signal),
}

async function look(native: Native, table: string): Promise<TableFacts> {
  const [found] = (await native.query(lookSql, [placeOf(table)])).rows
  if (found === undefined)
    throw new StoreError('NOT_PREPARED', `PostgreSQL has no table ${table} that this user may see.`)
  const { rows } = await native.query(indexesSql, [placeOf(table)])
  const columns = (await native.query(columnsSql, [placeOf(table)])).rows
  // Without ANALYZE the number of rows is -1.
  const records = Math.max(Number(found['reltuples']), Number(found['live']), 0)
  return {
    records,
    bytes: Number(found['bytes']),
    denied: deniedOf(found, table),
    only: hasDocuments(columns) ? undefined : { attributes: columns.map(({ name }) => String(name)) },
    indexes: rows.map(
      (row): IndexFacts => ({
        name: String(row['name']),
        // One of some records alone, or of another kind, serves no query for sure.
        by: (row['parts'] as string[]).map((part) => (row['serves'] === true ? attributeOf(part) : '?')),
        isValid: row['valid'] === true,
        isOfKey: row['key'] === true || row['special'] === true,
        uses: row['uses'] === null ? undefined : Number(row['uses']),
        bytes: Number(row['bytes']),
      }),
    ),
  }
}

function deniedOf({ owns, creates }: Row, table: string): string | undefined {
  if (owns !== true)
    return `This user does not own ${table}, so PostgreSQL would refuse the index. Its owner can make it, or grant the role.`
  if (creates !== true)
    return `This user lacks the right CREATE on the schema of ${table}, which an index needs.`
  return undefined
}

/** Goes on with a build that another connection has begun; one that was broken off is begun anew. */
async function create(native: Native, plan: IndexPlan, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const { indexes } = await look(native, plan.table)
    const index = indexes.find(({ name }) => name === plan.name)
    if (index?.isValid === true) return
    if (index === undefined) await build(native, plan, signal)
    else if ((await buildsOf(native, plan)).length > 0) await pause(everyMs, { signal })
    else await drop(native, plan, signal)
  }
}

/** A build that is under way is stopped first, even if its client is gone: a drop beside it would be a deadlock. */
async function drop(native: Native, plan: IndexPlan, signal: AbortSignal): Promise<void> {
  const schema = plan.table.includes('.') ? `${quoted(plan.table.split('.')[0] as string)}.` : ''
  const sql = `DROP INDEX CONCURRENTLY IF EXISTS ${schema}${quoted(plan.name)}`
  for (;;) {
    signal.throwIfAborted()
    await cancel(native, plan)
    if ((await buildsOf(native, plan)).length === 0 && (await isDone(native, sql))) return
    await pause(everyMs, { signal })
  }
}

/** Whether a statement took effect; a deadlock undid it, if not. */
async function isDone(native: Native, sql: string): Promise<boolean> {
  return native.query(sql).then(
    () => true,
    (error: { readonly code?: string }) => {
      if (error.code !== deadlock) throw error
      return false
    },
  )
}

async function build(native: Native, plan: IndexPlan, signal: AbortSignal): Promise<void> {
  const columns = (await native.query(columnsSql, [placeOf(plan.table)])).rows
  const parts = plan.by.map((attribute) => expressionOf(attribute, columns))
  const sql = `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${quoted(plan.name)} ON ${placeOf(plan.table)} (${parts.join(', ')})`
  let isOver = false
  // Until it is over: the server may not have begun yet.
  const stop = async (): Promise<void> => {
    for (; !isOver; await pause(cancelEveryMs)) await cancel(native, plan).catch(() => {})
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    await isDone(native, sql)
  } finally {
    isOver = true
    signal.removeEventListener('abort', stop)
  }
}

/** Builds of the index, and those of which it is not known yet what they build. */
const buildsSql = `SELECT p.pid, c.relname AS name FROM pg_stat_progress_create_index p LEFT JOIN pg_class c ON c.oid = p.index_relid
  WHERE p.relid = to_regclass($1) AND (c.relname = $2 OR c.relname IS NULL)`

async function buildsOf(native: Native, { table, name }: IndexPlan): Promise<readonly Row[]> {
  return (await native.query(buildsSql, [placeOf(table), name])).rows
}

async function cancel(native: Native, { table, name }: IndexPlan): Promise<void> {
  const own = `SELECT pg_cancel_backend(pid) FROM (${buildsSql}) AS builds WHERE builds.name = $2`
  await native.query(own, [placeOf(table), name])
}

/** A column of this name, or an attribute of the document in the column `value`: as `value->>'ip'`. */
function expressionOf(attribute: string, columns: readonly Row[]): string {
  if (columns.some(({ name }) => name === attribute)) return quoted(attribute)
  if (!hasDocuments(columns))
    throw new StoreError(
      'INVALID_ARGUMENT',
      `The table has neither a column ${attribute} nor documents with such an attribute.`,
    )
  const path = attribute.split('.')
  const last = path.pop() as string
  return `(value${path.map((name) => `->'${name}'`).join('')}->>'${last}')`
}

function hasDocuments(columns: readonly Row[]): boolean {
  return columns.some(({ name, type }) => name === 'value' && type === 'jsonb')
}

/** The attribute of an expression as `pg_get_indexdef` tells it: `ip`, or `(value ->> 'ip'::text)`. */
function attributeOf(part: string): string {
  if (/^"?\w+"?$/.test(part)) return part.replaceAll('"', '')
  const path = /^\(*value((?:\s*->>?\s*'\w+'::text)+)\)*$/.exec(part.trim())?.[1]
  return path === undefined ? '?' : Array.from(path.matchAll(/'(\w+)'/g), ([, name]) => name).join('.')
}

/** A table with its schema, quoted. Names were checked where they came in. */
function placeOf(table: string): string {
  return table.split('.').map(quoted).join('.')
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
