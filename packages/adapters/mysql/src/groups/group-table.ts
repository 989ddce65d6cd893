import { StoreError } from '@unikv/core'
import { look, type Run, type TableOptions } from '../table.ts'

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
  let found = await look(run, name)
  if (found.marker === null && prepare) {
    await run(createTable(name), [])
    found = await look(run, name)
  }
  if (found.marker === marker) return
  if (found.marker !== null)
    throw new StoreError(
      'INVALID_CONFIG',
      `The table ${name} was not created by unikv for groups. Name another table.`,
    )
  const remedy = 'Call prepareMysqlGroups with these options once, or set prepare: true.'
  throw new StoreError('NOT_PREPARED', `There is no table ${name}. ${remedy}`)
}

function createTable(name: string): string {
  return `CREATE TABLE IF NOT EXISTS \`${name}\` (
    grp VARBINARY(${maxPartBytes}) NOT NULL,
    k VARBINARY(${maxPartBytes}) NOT NULL,
    value LONGBLOB NOT NULL,
    PRIMARY KEY (grp, k)
  ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COMMENT = '${marker}'`
}
