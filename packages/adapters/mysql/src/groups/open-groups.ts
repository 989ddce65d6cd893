import type { CallOptions, Groups } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import type { Backend } from '../backend.ts'
import type { MysqlSettings } from '../options.ts'
import { CommitTokens } from './commit-tokens.ts'
import { GroupStatements } from './group-statements.ts'
import { groupTableOf, openGroupTable } from './group-table.ts'
import { MysqlGroups } from './mysql-groups.ts'

/** Longest time that looking at the table may take. */
const openTimeoutMs = 10_000

/**
 * The groups of a dataset, once their table was checked.
 *
 * @throws {StoreError} `NOT_PREPARED`, `INVALID_CONFIG`
 */
export async function openGroups(
  { connections, maxStatementBytes }: Pick<Backend<unknown>, 'connections' | 'maxStatementBytes'>,
  settings: MysqlSettings,
): Promise<Groups> {
  const call: CallOptions = { deadlineAt: performance.now() + openTimeoutMs }
  await openGroupTable((sql, values) => connections.look(sql, values, call), settings)
  const statements = new GroupStatements(groupTableOf(settings.table), settings.lockReads)
  const tokens = new CommitTokens(connections, statements)
  return new MysqlGroups({ connections, statements, tokens, maxStatementBytes })
}
