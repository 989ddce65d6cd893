import { StoreError } from '@unikv/core'
import { type Indexer, type IndexFacts, type IndexPlan, partsOf, type TableFacts } from '../indexer.ts'
import { deniedOf } from './mysql-rights.ts'
import { type Native, patiently, type Row, type Run, rowsOf } from './mysql-session.ts'
import { toldByMysql } from './told-queries.ts'

const tableSql = `SELECT table_schema AS place, table_rows AS records, data_length AS bytes, table_comment AS comment,
    VERSION() AS version, @@performance_schema AS counts
  FROM information_schema.tables WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?`

const columnsSql = `SELECT column_name AS name, data_type AS type, character_maximum_length AS length,
    generation_expression AS expression
  FROM information_schema.columns WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?`

const indexesSql = `SELECT index_name AS name, non_unique AS many, column_name AS part, index_type AS type
  FROM information_schema.statistics WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?
  ORDER BY index_name, seq_in_index`

/** Columns of foreign keys: an index of theirs cannot be dropped. */
const foreignSql = `SELECT column_name AS name FROM information_schema.key_column_usage
  WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ? AND referenced_table_name IS NOT NULL`

const usesSql = `SELECT index_name AS name, count_read AS uses FROM performance_schema.table_io_waits_summary_by_index_usage
  WHERE object_schema = COALESCE(?, DATABASE()) AND object_name = ? AND index_name IS NOT NULL`

/** So many characters of a text are in an index: as many as InnoDB takes of five texts. */
const prefix = 150
const duplicateName = 1061
const noSuchIndex = 1091

/**
 * Indexes of MySQL and MariaDB, on columns and on attributes of the JSON documents of a store. For an attribute a virtual column is
 * made, named as the index with a number, which takes no room and which `SELECT *` does not show. It is text of any length,
 * of which the first 150 characters are in the index: with a shorter column the server would refuse writes of longer values.
 * The index serves these queries:
 *
 * - on a column: `ip = ?`
 * - MySQL 8: `value->>'$.ip' = ?`
 * - MariaDB 11.8 and later: `JSON_VALUE(value, '$.ip') = ?`
 * - MariaDB before 11.8 knows no expression again. There the table needs a column of the owner's own, by which the query selects.
 */
export const mysqlIndexer: Indexer = {
  how: 'ALGORITHM=INPLACE, LOCK=NONE; reads and writes go on meanwhile',
  writeFactor: 1.05,
  look: async (native, table) => look(native as Native, table),
  create: async (native, plan, signal) => {
    const made = (run: Run): Promise<void> => create(run, plan)
    await patiently(native as Native, signal, made)
  },
  drop: async (native, plan, signal) => {
    await patiently(native as Native, signal, (run) => drop(run, plan))
  },
  told: toldByMysql,
}

async function look(native: Native, table: string): Promise<TableFacts> {
  const place = partsOf(table)
  const ask = (sql: string): Promise<readonly Row[]> => rowsOf(native, sql, place)
  const [found] = await ask(tableSql)
  if (found === undefined) throw noTable(table)
  const columns = await ask(columnsSql)
  const hasDocuments = found['comment'] === 'unikv 1 document'
  const why = hasDocuments ? whyNoDocuments(found, table) : undefined
  const columnsOnly = !hasDocuments || why !== undefined
  const grants = await rowsOf(native, 'SHOW GRANTS', [])
  return {
    records: Number(found['records'] ?? 0),
    bytes: Number(found['bytes'] ?? 0),
    denied: deniedOf(grants, [String(found['place']), place[1]], !columnsOnly),
    only: columnsOnly ? { attributes: columns.map(({ name }) => String(name)), why } : undefined,
    indexes: await indexesOf(ask, found, columns),
  }
}

async function indexesOf(
  ask: (sql: string) => Promise<readonly Row[]>,
  { counts, comment }: Row,
  columns: readonly Row[],
): Promise<readonly IndexFacts[]> {
  const foreign = (await ask(foreignSql)).map(({ name }) => name)
  // Not every user may read it.
  const uses = Number(counts) === 1 ? await ask(usesSql).catch(() => []) : []
  const own = String(comment).startsWith('unikv ') ? 'expires_at' : undefined
  const parts = await ask(indexesSql)
  return [...new Set(parts.map(({ name }) => String(name)))].map((name) => {
    const rows = parts.filter((part) => part['name'] === name)
    const isUnique = Number(rows[0]?.['many']) === 0
    const used = uses.find((one) => one['name'] === name)?.['uses']
    return {
      name,
      // One for words or places serves no query for a value.
      by: rows.map(({ part, type }) => (type === 'BTREE' ? attributeOf(part, columns) : '?')),
      isValid: true,
      isOfKey: isUnique || name === own || foreign.includes(rows[0]?.['part']),
      uses: used === undefined ? undefined : Number(used),
    }
  })
}

/** The reason why attributes of documents can have no index. */
function whyNoDocuments({ version }: Row, table: string): string | undefined {
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(String(version))?.map(Number) ?? []
  const knows = isMariadb(version) ? major > 11 || (major === 11 && minor >= 8) : major >= 8
  return knows
    ? undefined
    : `This server uses an index only for a query that names a column. Add one, which takes no time, and select by it: ALTER TABLE ${table} ADD COLUMN ip LONGTEXT AS (JSON_VALUE(value, '$.ip')) VIRTUAL.`
}

async function create(run: Run, plan: IndexPlan): Promise<void> {
  const place = partsOf(plan.table)
  const [found] = await run(tableSql, place)
  if (found === undefined) throw noTable(plan.table)
  const columns = await run(columnsSql, place)
  const parts: string[] = []
  for (const [at, attribute] of plan.by.entries()) {
    const column =
      columns.find(({ name }) => name === attribute) ?? (await addColumn(run, plan, at, found, columns))
    parts.push(partOf(column))
  }
  const sql = `CREATE INDEX ${quoted(plan.name)} ON ${placeOf(plan.table)} (${parts.join(', ')}) ALGORITHM=INPLACE LOCK=NONE`
  await unless(duplicateName, run(sql))
}

/** The virtual column of an attribute, which may be there already. */
async function addColumn(
  run: Run,
  plan: IndexPlan,
  at: number,
  found: Row,
  columns: readonly Row[],
): Promise<Row> {
  const column = { name: `${plan.name}_${at + 1}`, type: 'longtext', length: null }
  if (columns.some(({ name }) => name === column.name)) return column
  const attribute = plan.by[at] as string
  if (found['comment'] !== 'unikv 1 document')
    throw new StoreError(
      'INVALID_ARGUMENT',
      `The table has neither a column ${attribute} nor documents with such an attribute.`,
    )
  const path = `value, '$.${attribute}'`
  const text = isMariadb(found['version']) ? `JSON_VALUE(${path})` : `JSON_UNQUOTE(JSON_EXTRACT(${path}))`
  const type = 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'
  await run(
    `ALTER TABLE ${placeOf(plan.table)} ADD COLUMN ${quoted(column.name)} ${type} GENERATED ALWAYS AS (${text}) VIRTUAL INVISIBLE, ALGORITHM=INSTANT`,
  )
  return column
}

/** The index first: one that is broken off here leaves columns that the next attempt finds. */
async function drop(run: Run, { name, table }: IndexPlan): Promise<void> {
  const columns = (await run(columnsSql, partsOf(table))).filter((column) => isOfIndex(column['name'], name))
  if ((await run(tableSql, partsOf(table))).length === 0) return
  await unless(noSuchIndex, run(`DROP INDEX ${quoted(name)} ON ${placeOf(table)}`))
  if (columns.length === 0) return
  const gone = columns.map((column) => `DROP COLUMN ${quoted(String(column['name']))}`)
  await unless(
    noSuchIndex,
    run(`ALTER TABLE ${placeOf(table)} ${gone.join(', ')}, ALGORITHM=INPLACE, LOCK=NONE`),
  )
}

/** Whether an index of a tuner brought this column. */
function isOfIndex(column: unknown, index: string): boolean {
  const [, name] = /^(unikv_tune_.*)_\d$/.exec(String(column)) ?? []
  return name === index
}

async function unless(errno: number, done: Promise<unknown>): Promise<void> {
  await done.catch((error: { readonly errno?: number }) => {
    if (error.errno !== errno) throw error
  })
}

/** A column in an index; of a text its beginning. */
function partOf({ name, type, length }: Row): string {
  const isLong = /text|blob/.test(String(type)) || Number(length ?? 0) > prefix
  return isLong ? `${quoted(String(name))}(${prefix})` : quoted(String(name))
}

/** The attribute of a column that an index of a tuner brought, or the column itself; of an expression nothing is known. */
function attributeOf(part: unknown, columns: readonly Row[]): string {
  if (typeof part !== 'string') return '?'
  if (!/^unikv_tune_.*_\d$/.test(part)) return part
  const { expression } = columns.find(({ name }) => name === part) ?? {}
  return /'\$\.([\w.]+)\\?'/.exec(String(expression))?.[1] ?? part
}

function isMariadb(version: unknown): boolean {
  return /mariadb/i.test(String(version))
}

function noTable(table: string): StoreError {
  return new StoreError('NOT_PREPARED', `There is no table ${table} that this user may see.`)
}

function placeOf(table: string): string {
  return table.split('.').map(quoted).join('.')
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}
