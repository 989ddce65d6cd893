import type { Row } from './mysql-session.ts'

/** Why this user may make no index on a table, by what SHOW GRANTS tells. */
export function deniedOf(
  grants: readonly Row[],
  [place, table]: readonly [place: string, table: string],
  addsColumns: boolean,
): string | undefined {
  const lines = grants.map((row) => String(Object.values(row)[0]))
  // What a role allows is not told everywhere.
  if (lines.some((line) => !/ ON /.test(line))) return undefined
  const rights = lines.flatMap((line) => rightsOf(line, place, table))
  const needed = addsColumns ? ['INDEX', 'ALTER'] : ['INDEX']
  const missing = rights.includes('ALL PRIVILEGES') ? [] : needed.filter((right) => !rights.includes(right))
  if (missing.length === 0) return undefined
  return `This user lacks the right ${missing.join(' and ')} on ${place}.${table}, which an index needs. Its owner can grant it: GRANT ${missing.join(', ')} ON ${place}.${table} TO ….`
}

/** What a line allows on the table: ``GRANT SELECT, INDEX ON `shop`.* TO …``. */
function rightsOf(line: string, place: string, table: string): readonly string[] {
  const [, rights = '', where = '', what = ''] =
    /^GRANT (.*?) ON (?:TABLE )?(\S+?)\.(\S+) TO /.exec(line) ?? []
  const isThere = matches(where, place) && (what === '*' || plain(what) === table)
  return isThere ? rights.split(', ') : []
}

/** Names of databases are patterns: `%` and `_`, unless escaped. */
function matches(pattern: string, name: string): boolean {
  if (pattern === '*') return true
  const parts = plain(pattern).replaceAll(/\\[%_]|[%_]|[^\w]/g, (found) => {
    if (found.startsWith('\\') && found.length > 1) return found.slice(1)
    return found === '%' ? '.*' : found === '_' ? '.' : `\\${found}`
  })
  return new RegExp(`^${parts}$`).test(name)
}

function plain(name: string): string {
  return name.replaceAll('`', '').replaceAll('"', '')
}
