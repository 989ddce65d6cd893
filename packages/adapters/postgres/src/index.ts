export type { PostgresNative, PostgresNativeConnection, PostgresResult } from './native.ts'
export { type PostgresStore, postgres, preparePostgres } from './postgres.ts'
export type { PostgresCapabilities } from './postgres-capabilities.ts'
export type {
  PostgresConnection,
  PostgresPool,
  PostgresSocket,
  PostgresSubmission,
  PostgresTls,
  PostgresWire,
  Row as PostgresRow,
} from './postgres-client.ts'
export type { PostgresOptions } from './postgres-options.ts'
export type { PostgresDurability } from './table.ts'
