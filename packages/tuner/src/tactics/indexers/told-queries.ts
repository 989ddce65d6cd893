import { partsOf, type ToldQuery } from '../indexer.ts'
import { type Native, type Row, rowsOf } from './mysql-session.ts'

/** The member of pg that is used here. */
interface Postgres {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>
}

const thereSql = `SELECT to_regclass('pg_stat_statements') IS NOT NULL AS there`

/** Queries of this database since the extension counts, those that took most of the time first. */
const statementsSql = `SELECT s.query AS text, s.calls, s.mean_exec_time AS mean,
    EXTRACT(EPOCH FROM now() - (SELECT stats_reset FROM pg_stat_statements_info)) AS seconds
  FROM pg_stat_statements s WHERE s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND s.query ILIKE 'select%where%' ORDER BY s.total_exec_time DESC LIMIT 100`

/** Queries on a table by their attributes, as the extension `pg_stat_statements` tells them; none where it is not there. */
export async function toldByPostgres(native: unknown, table: string): Promise<readonly ToldQuery[]> {
  const ask = (sql: string): ReturnType<Postgres['query']> => (native as Postgres).query(sql)
  const [found] = (await ask(thereSql)).rows
  if (found?.['there'] !== true) return []
  const { rows } = await ask(statementsSql)
  return toldIn(rows, table)
}

const digestsSql = `SELECT digest_text AS text, count_star AS calls, avg_timer_wait / 1e9 AS mean,
    TIMESTAMPDIFF(SECOND, first_seen, NOW()) AS seconds
  FROM performance_schema.events_statements_summary_by_digest
  WHERE schema_name = COALESCE(?, DATABASE()) AND digest_text LIKE 'SELECT%WHERE%' ORDER BY sum_timer_wait DESC LIMIT 100`

/** The same of MySQL and MariaDB, where the performance schema is on and this user may read it. Paths into documents are not told. */
export async function toldByMysql(native: unknown, table: string): Promise<readonly ToldQuery[]> {
  const [place] = partsOf(table)
  const rows = await rowsOf(native as Native, digestsSql, [place])
  return toldIn(rows, table)
}

function toldIn(rows: readonly Row[], table: string): readonly ToldQuery[] {
  return rows.flatMap(({ text, calls, mean, seconds }): ToldQuery[] => {
    const by = attributesIn(String(text), table)
    const per = Number(calls) / Math.max(1, Number(seconds))
    return by === undefined ? [] : [{ by, callsPerSecond: per, meanMs: Number(mean) }]
  })
}

/** Attributes that a query of one table compares with a value for equality; `undefined`: it is another query. */
export function attributesIn(text: string, table: string): readonly string[] | undefined {
  const name = table.split('.').at(-1) ?? table
  // The performance schema of MySQL writes `shop` . `tx`.
  const plain = text.replaceAll('`', '"').replaceAll(/\s*\.\s*/g, '.')
  const [, from, rest] = /\bfrom\s+([\w."]+)(?:\s+(?:as\s+)?[\w"]+)?\s+where\s+(.+)$/is.exec(plain) ?? []
  if (from?.replaceAll('"', '').split('.').at(-1) !== name || rest === undefined) return undefined
  if (/\b(join|or|union)\b/i.test(rest)) return undefined
  const compared = rest.matchAll(/(?:value((?:\s*->>?\s*'\w+')+)|"(\w+)"|(\w+))\s*=\s*(?:\$\d+|\?)/g)
  // Both products write names without quotes in either case.
  const by = Array.from(compared, ([, path, quoted, bare = '']) =>
    path === undefined
      ? (quoted ?? bare.toLowerCase())
      : Array.from(path.matchAll(/'(\w+)'/g), ([, part]) => part).join('.'),
  )
  return by.length === 0 || by.length > 5 ? undefined : by
}
