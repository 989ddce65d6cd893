import type { Connections } from '../client/connections.ts'
import type { CommitTokens } from './commit-tokens.ts'
import type { GroupStatements } from './group-statements.ts'

/** Parts that the groups and their transactions share. */
export interface GroupParts {
  readonly connections: Connections
  readonly statements: GroupStatements
  readonly tokens: CommitTokens
  /** Most bytes of keys and values in one statement. */
  readonly maxStatementBytes: number
}
