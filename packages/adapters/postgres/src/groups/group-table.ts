import { openSqlTable } from '@unikv/core/sql-client'
import { lookAt, quotedTable, type Run, type TableOptions } from '../table.ts'

/** The comment by which a table is known as ours. */
const marker = 'unikv 1 groups'

/** The table of the groups of a dataset. */
export function groupTableOf(options: TableOptions): TableOptions {
  return { ...options, table: `${options.table}_groups` }
}

/**
 * Look at the table of groups, and make it if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED` if it is missing, `INVALID_CONFIG` if it is not ours
 */
export async function openGroupTable(run: Run, dataset: TableOptions): Promise<void> {
  const options = groupTableOf(dataset)
  const name = quotedTable(options)
  const look = () => lookAt(run, options)
  const make = () => run({ text: createTable(name) }, [])
  const { prepare } = options
  await openSqlTable({ name, marker, prepare, maker: 'preparePostgresGroups', look, make })
}

/** All of it or nothing. Where another process is quicker, its table is looked at. */
function createTable(name: string): string {
  return `DO $$ BEGIN
    CREATE TABLE ${name} (
      grp BYTEA NOT NULL,
      k BYTEA NOT NULL,
      value BYTEA NOT NULL,
      PRIMARY KEY (grp, k)
    );
    COMMENT ON TABLE ${name} IS '${marker}';
  EXCEPTION WHEN duplicate_table OR duplicate_object OR unique_violation THEN NULL;
  END $$`
}
