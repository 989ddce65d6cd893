import type { ToldQuery } from '../indexer.ts'

/** The member of pg that is used here. */
interface Native {
  query(
    sql: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>
}

const thereSql = `SELECT to_regclass('pg_stat_statements') IS NOT NULL AS there`

/** Queries of this database since the extension counts, those that took most of the time first. */
const statementsSql = `SELECT s.query, s.calls, s.mean_exec_time AS mean,
    EXTRACT(EPOCH FROM now() - (SELECT stats_reset FROM pg_stat_statements_info)) AS seconds
  FROM pg_stat_statements s WHERE s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND s.query ILIKE 'select%where%' ORDER BY s.total_exec_time DESC LIMIT 100`

/** Queries on a table by their attributes, as the extension `pg_stat_statements` tells them; none where it is not there. */
export async function statementsOf(native: unknown, table: string): Promise<readonly ToldQuery[]> {
  const ask = (sql: string): ReturnType<Native['query']> => (native as Native).query(sql)
  const [found] = (await ask(thereSql)).rows
  if (found?.['there'] !== true) return []
  const { rows } = await ask(statementsSql)
  return rows.flatMap(({ query: text, calls, mean, seconds }): ToldQuery[] => {
    const by = attributesIn(String(text), table)
    const per = Number(calls) / Math.max(1, Number(seconds))
    return by === undefined ? [] : [{ by, callsPerSecond: per, meanMs: Number(mean) }]
  })
}

/** Attributes that a query of one table compares with a value for equality; `undefined`: it is another query. */
export function attributesIn(text: string, table: string): readonly string[] | undefined {
  const name = table.split('.').at(-1) ?? table
  const [, from, rest] = /\bfrom\s+([\w."]+)(?:\s+(?:as\s+)?\w+)?\s+where\s+(.+)$/is.exec(text) ?? []
  if (from?.replaceAll('"', '').split('.').at(-1) !== name || rest === undefined) return undefined
  if (/\b(join|or|union)\b/i.test(rest)) return undefined
  const compared = rest.matchAll(/(?:value((?:\s*->>?\s*'\w+')+)|"?(\w+)"?)\s*=\s*\$\d+/g)
  const by = Array.from(compared, ([, path, column]) =>
    path === undefined ? (column ?? '') : Array.from(path.matchAll(/'(\w+)'/g), ([, part]) => part).join('.'),
  )
  return by.length === 0 || by.length > 5 ? undefined : by
}
