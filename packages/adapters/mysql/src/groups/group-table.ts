import { openSqlTable } from '@unikv/core/sql-client'
import { lookAt, type Run, type TableOptions } from '../table.ts'

/** The comment by which a table is known as ours. */
const marker = 'unikv 1 groups'
/** Longest name of a group, and longest key in one, in bytes: InnoDB indexes 3,072 together. */
export const maxPartBytes = 1_024

/** The table of the groups of a dataset. */
export function groupTableOf(table: string): string {
  return `${table}_groups`
}

/**
 * Look at the table of groups, and make it if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED` if it is missing, `INVALID_CONFIG` if it is not ours
 */
export async function openGroupTable(run: Run, { table, prepare }: TableOptions): Promise<void> {
  const name = groupTableOf(table)
  const look = () => lookAt(run, name)
  const make = () => run(createTable(name), [])
  await openSqlTable({ name, marker, prepare, maker: 'prepareMysqlGroups', look, make })
}

function createTable(name: string): string {
  return `CREATE TABLE IF NOT EXISTS \`${name}\` (
    grp VARBINARY(${maxPartBytes}) NOT NULL,
    k VARBINARY(${maxPartBytes}) NOT NULL,
    value LONGBLOB NOT NULL,
    PRIMARY KEY (grp, k)
  ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COMMENT = '${marker}'`
}
