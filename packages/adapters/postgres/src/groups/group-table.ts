import { StoreError } from '@unikv/core'
import { look, quotedTable, type Run, type TableOptions } from '../table.ts'

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
  let found = await look(run, options)
  if (!found.exists && options.prepare) {
    await run({ text: createTable(quotedTable(options)) }, [])
    found = await look(run, options)
  }
  if (found.exists && found.marker === marker) return
  const name = quotedTable(options)
  if (found.exists)
    throw new StoreError(
      'INVALID_CONFIG',
      `The table ${name} was not created by unikv for groups. Name another table.`,
    )
  const remedy = 'Call preparePostgresGroups with these options once, or set prepare: true.'
  throw new StoreError('NOT_PREPARED', `There is no table ${name}. ${remedy}`)
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
