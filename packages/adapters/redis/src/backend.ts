import type { RedisConnection } from './client/redis-client.ts'
import type { Dataset } from './dataset.ts'
import type { RedisSettings } from './options.ts'
import type { Servers } from './servers.ts'

/** The state that the verbs share, once the driver is loaded. */
export interface Backend {
  readonly servers: Servers
  /** The client, of one server or of a cluster. */
  readonly connection: RedisConnection
  readonly dataset: Dataset
  /** Replicas that must acknowledge a write, where its call asks for that. */
  readonly replicas: RedisSettings['replicas']
}
