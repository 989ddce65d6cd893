import type { LmdbDatabase } from '../client/lmdb-client.ts'
import type { Environment } from '../environment/environment.ts'

/** The database of the groups, and its environment. */
export interface OpenGroups {
  readonly environment: Environment
  readonly database: LmdbDatabase
}
