import type { CallOptions, Groups } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import type { Backend } from '../backend.ts'
import type { PostgresSettings } from '../options.ts'
import { quotedTable } from '../table.ts'
import { GroupStatements } from './group-statements.ts'
import { groupTableOf, openGroupTable } from './group-table.ts'
import { PostgresGroups } from './postgres-groups.ts'

/** Longest time that looking at the table may take. */
const openTimeoutMs = 10_000

/**
 * The groups of a dataset, once their table was checked.
 *
 * @throws {StoreError} `NOT_PREPARED`, `INVALID_CONFIG`
 */
export async function openGroups(
  { connections, binary }: Pick<Backend<unknown>, 'connections' | 'binary'>,
  settings: PostgresSettings,
): Promise<Groups> {
  const { namedStatements: named, lockReads } = settings
  const call: CallOptions = { deadlineAt: performance.now() + openTimeoutMs }
  await openGroupTable((sql, values) => connections.execute(sql, values, call, false), settings)
  const table = quotedTable(groupTableOf(settings))
  const statements = new GroupStatements(table, { named, binary, lockReads })
  return new PostgresGroups(connections, statements, lockReads ? 'locks' : 'optimistic')
}
