export { type CassandraStore, cassandra, prepareCassandra } from './cassandra.ts'
export type { CassandraCapabilities } from './cassandra-capabilities.ts'
export type {
  CassandraClient,
  CassandraDecision,
  CassandraMetadata,
  CassandraQueryOptions,
  CassandraResult,
  CassandraRetryPolicy,
  CassandraTls,
  CassandraToken,
} from './cassandra-client.ts'
export type { CassandraDurability, CassandraOptions } from './cassandra-options.ts'
export type {
  CassandraLevel,
  ConditionalConsistency,
  PlainConsistency,
  PlainLevel,
  SerialLevel,
} from './consistency.ts'
export type { CassandraNative } from './native.ts'
