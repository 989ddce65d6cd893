export type { CassandraCapabilities, CassandraDurability } from './capabilities.ts'
export { type CassandraStore, cassandra, prepareCassandra } from './cassandra.ts'
export type {
  CassandraClient,
  CassandraDecision,
  CassandraMetadata,
  CassandraQueryOptions,
  CassandraResult,
  CassandraRetryPolicy,
  CassandraTls,
  CassandraToken,
} from './client/cassandra-client.ts'
export type {
  CassandraLevel,
  ConditionalConsistency,
  PlainConsistency,
  PlainLevel,
  SerialLevel,
} from './client/consistency.ts'
export type { CassandraNative } from './client/native.ts'
export type { CassandraOptions } from './options.ts'
