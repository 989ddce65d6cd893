export type { PostgresCapabilities, PostgresDurability } from './capabilities.ts'
export type { PostgresNative, PostgresNativeConnection, PostgresResult } from './client/native.ts'
export type {
  PostgresConnection,
  PostgresPool,
  PostgresSocket,
  PostgresSubmission,
  PostgresTls,
  PostgresWire,
  Row as PostgresRow,
} from './client/postgres-client.ts'
export type { PostgresOptions } from './options.ts'
export { type PostgresStore, postgres, preparePostgres, preparePostgresGroups } from './postgres.ts'
